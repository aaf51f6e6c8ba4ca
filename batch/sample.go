package batch

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// worthwhile is from how many logits on goroutines are worth starting.
const worthwhile = 1 << 16

// drawing is what goroutines that sample share.
type drawing struct {
	draw func() // Runner.drawParts, so that starting it allocates nothing
	next atomic.Int64
	all  sync.WaitGroup
}

// sample gives their next token to the sequences that want one. Sampling a large
// vocabulary takes longer than a small model takes for a token, so it is done by
// several goroutines; what they draw does not depend on who draws it.
func (r *Runner) sample() {
	rows := 0
	for i := range r.parts {
		if r.parts[i].row != nil {
			rows++
		}
	}
	n := 1
	if rows*r.vocab >= worthwhile {
		n = min(rows, runtime.GOMAXPROCS(0))
	}
	if r.Threads > 0 {
		n = min(n, r.Threads)
	}
	r.drawing.next.Store(0)
	r.drawing.all.Add(n)
	for range n - 1 {
		go r.drawing.draw()
	}
	r.drawParts()
	r.drawing.all.Wait()
}

// drawParts draws for one part after another until none is left.
func (r *Runner) drawParts() {
	defer r.drawing.all.Done()
	for {
		i := int(r.drawing.next.Add(1)) - 1
		if i >= len(r.parts) {
			return
		}
		if p := &r.parts[i]; p.row != nil {
			p.draw(r.vocab)
		}
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
