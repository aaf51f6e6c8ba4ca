package batch

import (
	"errors"
	"fmt"
	"slices"

	"example.com/minillm/transformer"
)

var errNoHidden = errors.New("batch: the model has no hidden rows to embed with")

// commit moves the counters of one sequence past a forward pass.
func (r *Runner) commit(p *part, c *transformer.Chunk) {
	s := p.seq
	s.computed += p.n
	if !s.spec.NoCache {
		s.region.Publish(s.tokens[:s.computed])
	}
	if s.reads() {
		r.score(p, c)
	}
	if s.finish != Running || s.Pending() > 0 {
		return
	}
	if s.spec.OnlyPrompt {
		s.end(Length)
		return
	}
	r.sample(s, c.Logits[len(c.Logits)-r.vocab:])
}

// sample appends the token that follows, and ends the sequence where it should.
func (r *Runner) sample(s *Sequence, logits []float32) {
	t, err := s.spec.Sampler.Sample(logits, s.tokens, s.Prompt())
	if err != nil {
		s.Fail(fmt.Errorf("batch: sample: %w", err))
		return
	}
	if t < 0 || int(t) >= r.vocab {
		s.Fail(fmt.Errorf("batch: sample: token %d is outside the vocabulary of %d", t, r.vocab))
		return
	}
	s.note(logits, t)
	s.append(t)
}

// append takes t as the next token.
func (s *Sequence) append(t int32) {
	s.tokens = append(s.tokens, t)
	if s.spec.NoCache {
		s.computed = 0
	}
	switch {
	case slices.Contains(s.spec.Stop, t):
		s.end(Stop)
	case len(s.Output()) == s.spec.Max, len(s.tokens) > s.limit:
		s.end(Length)
	}
}
