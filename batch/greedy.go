package batch

import "example.com/minillm/sampling"

type argmax struct{}

var greedy sampling.Sampler = argmax{}

func (argmax) Sample(logits []float32, _ []int32, _ int) (int32, error) {
	best := -1
	for i, x := range logits {
		if x != x {
			return 0, sampling.ErrNoToken
		}
		if best < 0 || x > logits[best] {
			best = i
		}
	}
	return int32(best), nil
}
