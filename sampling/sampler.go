package sampling

import (
	"errors"
	"maps"
	"slices"
	"sync"
)

// ErrNoToken says that no token can be chosen: every logit is -Inf, or there is none.
var ErrNoToken = errors.New("sampling: no token has a finite logit")

// ErrBadLogit says that a logit is NaN or +Inf: the model, or what it was
// given, is broken. Choosing from the others would hide that.
var ErrBadLogit = errors.New("sampling: a logit is NaN or +Inf")

// Sampler picks the token that follows history, of which the first prompt
// tokens are the prompt. It leaves logits as they are and keeps no state of
// the sequence: the same arguments give the same token, whatever was sampled
// before, so one Sampler may serve many sequences and goroutines at once.
type Sampler interface {
	Sample(logits []float32, history []int32, prompt int) (int32, error)
}

// New returns a Sampler for p, or an error from [Params.Validate]. Its Sample
// is safe for many goroutines, does not allocate once warm, and fails with
// [ErrNoToken], [ErrBadLogit], or for a bias outside the vocabulary.
func New(p Params) (Sampler, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	p.Bias = maps.Clone(p.Bias)
	return &sampler{p}, nil
}

type sampler struct{ Params }

// Sample is the whole of it: penalties and bias, then the highest logit for
// temperature 0; else top-k, temperature, top-p, min-p and a random choice.
// Top-k goes before the temperature, which does not change the order of
// tokens, so that everything after it sees only k of them. Kept tokens stay in
// the order of their ids: which token a random number hits depends on what is
// kept, not on how it was selected.
func (s *sampler) Sample(logits []float32, history []int32, prompt int) (int32, error) {
	w := works.Get().(*work)
	defer works.Put(w)

	logits, err := w.adjust(logits, history, prompt, s.Params)
	if err != nil {
		return 0, err
	}
	best, err := Argmax(logits)
	if err != nil || s.Temperature == 0 {
		return best, err
	}
	w.keep(logits, s.TopK, logits[best], s.Temperature)
	if s.TopP > 0 && s.TopP < 1 {
		w.narrow(w.topP(w.kept, 0, s.TopP))
	}
	if s.MinP > 0 {
		w.narrow(w.minP(w.kept, 0, s.MinP))
	}
	i, err := w.draw(w.kept, 0, Coin(s.Seed, len(history)))
	return w.id(i), err
}

// work is the memory of one call.
type work struct {
	adjusted []float32 // a row with penalties and bias
	kept     []float32 // logits of the tokens that filters kept
	ids      []int32   // their ids in ascending order; empty: all of the row
	likely   []int32   // what a filter keeps, by index
	edge     []int32   // the least probable of those, see nucleus
	weights  []float32 // of a row, see exps
	sums     []float64 // of stretches of weights
	counts   []uint32  // by token id, zero between calls

	histogram histogram // of weights by logits, see nucleus
}

var works = sync.Pool{New: func() any { return new(work) }}

// adjust returns the row with penalties and bias: logits themselves if none is asked for.
func (w *work) adjust(logits []float32, history []int32, prompt int, p Params) ([]float32, error) {
	if !p.penalizes() && len(p.Bias) == 0 {
		return logits, nil
	}
	w.adjusted = append(w.adjusted[:0], logits...)
	w.penalize(w.adjusted, history, prompt, p)
	return w.adjusted, AddBias(w.adjusted, p.Bias)
}

// keep begins with the k highest logits, in the order of their ids, over a temperature; the highest becomes 0.
func (w *work) keep(logits []float32, k int, top float32, t float64) {
	w.ids = w.ids[:0]
	if k <= 0 || k >= len(logits) {
		w.kept = slices.Grow(w.kept[:0], len(logits))[:len(logits)]
		temper(w.kept, logits, top, t)
		return
	}
	w.ids = Top(w.ids, logits, k)
	slices.Sort(w.ids)
	w.kept = w.kept[:0]
	for _, id := range w.ids {
		w.kept = append(w.kept, logits[id])
	}
	temper(w.kept, w.kept, top, t)
}

// narrow goes on with those of what is kept that a filter keeps: what comes after it sees only them.
func (w *work) narrow(kept []int32) {
	all := len(w.ids) == 0
	for i, at := range kept {
		w.kept[i] = w.kept[at]
		if all {
			w.ids = append(w.ids, at)
		} else {
			w.ids[i] = w.ids[at]
		}
	}
	if n := len(kept); n > 0 {
		w.kept, w.ids = w.kept[:n], w.ids[:n]
	}
}

// id returns the token of index i of what is kept.
func (w *work) id(i int32) int32 {
	if len(w.ids) == 0 {
		return i
	}
	return w.ids[i]
}
