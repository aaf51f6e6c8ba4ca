package batch

import (
	"fmt"
	"math"

	"example.com/minillm/transformer"
)

// Model computes a ragged batch of chunks. *transformer.Model is one.
// One that also has a method Dim() int can fill Chunk.Hidden; with a method
// Each(n int, f func(i int)) it lends its goroutines for sampling; Limit() int
// is how many positions it can compute, if a cache holds longer sequences.
type Model interface {
	Forward(batch []transformer.Chunk) error
	VocabSize() int
}

// Work is a share of a step: the next N pending tokens of Seq, for which memory
// is reserved. With N 0 nothing is computed: the policy reports that Seq ended
// while it waited.
type Work struct {
	Seq *Sequence
	N   int
}

// scoring is the most rows of logits per step for prompts whose tokens are
// scored, beyond one for each sequence: rows of a large vocabulary take
// hundreds of kilobytes each.
const scoring = 64

// Runner turns work into ragged batches and logits into tokens. It belongs to
// the goroutine that schedules.
type Runner struct {
	model  Model
	vocab  int
	dim    int
	limit  int // positions that the model can compute
	chunks []transformer.Chunk
	parts  []part
	logits []float32
	hidden []float32
	draw   func(part int)                // drawPart, so that passing it on allocates nothing
	each   func(n int, f func(part int)) // the model's, or in turn
}

// part is what a chunk means for its sequence.
type part struct {
	seq  *Sequence
	n    int // tokens computed
	rows int // rows of logits, for the last of them
	vecs int // hidden rows, likewise

	row []float32 // after the pass: what the next token is drawn from; nil for none
}

// NewRunner returns a runner of m.
func NewRunner(m Model) *Runner {
	r := &Runner{model: m, vocab: m.VocabSize(), limit: math.MaxInt}
	if d, ok := m.(interface{ Dim() int }); ok {
		r.dim = d.Dim()
	}
	if l, ok := m.(interface{ Limit() int }); ok {
		r.limit = l.Limit()
	}
	r.draw, r.each = r.drawPart, inTurn
	if e, ok := m.(interface{ Each(int, func(int)) }); ok {
		r.each = e.Each
	}
	return r
}

// Step computes work: one forward pass, then the counters move, what is
// computed is published, and each sequence with nothing left pending gets its
// next token. Where prompt tokens are scored it may compute fewer than asked,
// but one at least.
//
// What is wrong with one sequence ends that one alone, see Sequence.Err. An
// error means that the model is broken; then no counter has moved.
func (r *Runner) Step(work []Work) error {
	r.plan(work)
	if len(r.parts) == 0 {
		return nil
	}
	r.lay()
	if err := r.model.Forward(r.chunks); err != nil {
		return fmt.Errorf("batch: forward: %w", err)
	}
	for i := range r.parts {
		r.commit(&r.parts[i], &r.chunks[i])
	}
	r.each(len(r.parts), r.draw)
	clear(r.chunks) // keep no memory of sequences that end now
	clear(r.parts)
	return nil
}

// plan decides what is computed of each sequence, and which rows are wanted.
func (r *Runner) plan(work []Work) {
	r.chunks, r.parts = r.chunks[:0], r.parts[:0]
	left := scoring
	for _, w := range work {
		s := w.Seq
		n := min(w.N, s.Pending())
		if n == 0 || s.finish != Running || !r.valid(s, n) {
			continue
		}
		p := part{seq: s, n: n}
		if s.spec.PromptLogprobs && s.reads() {
			p.n = min(n, max(1, left)+max(0, s.read-s.computed))
		}
		p.count()
		if p.rows > 1 {
			left -= p.rows
		}
		r.parts = append(r.parts, p)
	}
}

// count decides how many rows of the last positions are wanted.
func (p *part) count() {
	s := p.seq
	if p.n == s.Pending() && !s.spec.OnlyPrompt {
		p.rows = 1
	}
	if !s.reads() {
		return
	}
	unread := max(0, s.computed+p.n-max(s.computed, s.read))
	if s.spec.Embed {
		p.vecs = unread
	}
	if s.spec.PromptLogprobs {
		p.rows = unread
	}
}

// valid ends s if its next n tokens, or their positions, are none of the
// model's, and panics if no room was reserved for them.
func (r *Runner) valid(s *Sequence, n int) bool {
	if s.computed+n > s.room {
		panic("batch: work without reserved memory")
	}
	switch {
	case s.computed+n <= r.limit:
	case s.Prompt() > r.limit:
		s.Fail(fmt.Errorf("%w: %d tokens for a model of %d positions", ErrTooLong, s.Prompt(), r.limit))
		return false
	default:
		s.end(Length)
		return false
	}
	if s.spec.Embed && r.dim == 0 {
		s.Fail(errNoHidden)
		return false
	}
	for i, t := range s.tokens[s.computed : s.computed+n] {
		if t < 0 || int(t) >= r.vocab {
			s.Fail(fmt.Errorf("batch: token %d at position %d is outside the vocabulary of %d", t, s.computed+i, r.vocab))
			return false
		}
	}
	return true
}

// lay cuts the rows of logits and hidden out of two reused arenas.
func (r *Runner) lay() {
	rows, vecs := 0, 0
	for _, p := range r.parts {
		rows, vecs = rows+p.rows, vecs+p.vecs
	}
	r.logits = grow(r.logits, rows*r.vocab)
	r.hidden = grow(r.hidden, vecs*r.dim)
	logits, hidden := r.logits, r.hidden
	for _, p := range r.parts {
		s := p.seq
		c := transformer.Chunk{Tokens: s.tokens[s.computed : s.computed+p.n], Pos: s.computed, KV: s.region}
		c.Logits, logits = cut(logits, p.rows*r.vocab)
		c.Hidden, hidden = cut(hidden, p.vecs*r.dim)
		r.chunks = append(r.chunks, c)
	}
}

// grow returns buf with room for n values, whose contents do not matter.
func grow(buf []float32, n int) []float32 {
	if cap(buf) < n {
		return make([]float32, n)
	}
	return buf[:n]
}

// cut returns the first n values of buf, nil for none, and the rest.
func cut(buf []float32, n int) (head, rest []float32) {
	if n == 0 {
		return nil, buf
	}
	return buf[:n:n], buf[n:]
}
