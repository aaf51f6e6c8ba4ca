package batch

import (
	"errors"
	"slices"

	"example.com/minillm/transformer"
)

var errNoHidden = errors.New("batch: the model has no hidden rows to embed with")

// commit moves the counters of one sequence past a forward pass, and says in
// part which row its next token is drawn from.
func (r *Runner) commit(p *part, c *transformer.Chunk) {
	s := p.seq
	s.computed += p.n
	if !s.spec.NoCache {
		s.region.Publish(s.tokens[:s.computed])
	}
	if s.reads() {
		r.score(p, c)
	}
	switch {
	case s.finish != Running || s.Pending() > 0:
	case s.spec.OnlyPrompt:
		s.end(Length)
	default:
		p.row = c.Logits[len(c.Logits)-r.vocab:]
	}
}

// append takes t as the next token and ends the sequence where it should.
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
