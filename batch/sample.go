package batch

import "fmt"

// drawPart gives its next token to a sequence that wants one. Sampling a large
// vocabulary takes long beside a small model's pass, so the model's goroutines share
// it; what is drawn does not depend on who draws it.
func (r *Runner) drawPart(i int) {
	if p := &r.parts[i]; p.row != nil {
		p.draw(r.vocab)
	}
}

func inTurn(n int, f func(int)) {
	for i := range n {
		f(i)
	}
}

// draw appends the token that follows. Whatever is wrong with the row or with
// the sampler, a panic included, ends this sequence alone.
func (p *part) draw(vocab int) {
	s := p.seq
	defer func() {
		if x := recover(); x != nil {
			s.Fail(fmt.Errorf("batch: sample: panic: %v", x))
		}
	}()
	t, err := s.spec.Sampler.Sample(p.row, s.tokens, s.Prompt())
	switch {
	case err != nil:
		s.Fail(fmt.Errorf("batch: sample: %w", err))
	case t < 0 || int(t) >= vocab:
		s.Fail(fmt.Errorf("batch: sample: token %d is outside the vocabulary of %d", t, vocab))
	default:
		s.note(p.row, t)
		s.append(t)
	}
}
