package sampling

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// The slow, obvious versions: whole rows, float64, a sort of the vocabulary.

func slowSoftmax(logits []float32) []float64 {
	top := math.Inf(-1)
	for _, x := range logits {
		top = math.Max(top, float64(x))
	}
	p := make([]float64, len(logits))
	var sum float64
	for i, x := range logits {
		p[i] = math.Exp(float64(x) - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// slowOrder returns all ids that can be chosen, most probable first.
func slowOrder(logits []float32) []int32 {
	var ids []int32
	for i, x := range logits {
		if !math.IsInf(float64(x), -1) {
			ids = append(ids, int32(i))
		}
	}
	slices.SortStableFunc(ids, func(a, b int32) int { return cmp.Compare(logits[b], logits[a]) })
	return ids
}

// kept returns the ids above -Inf, in order.
func kept(logits []float32) []int32 {
	ids := slowOrder(logits)
	slices.Sort(ids)
	return ids
}

// randomRow returns n logits, with ties and -Inf among them.
func randomRow(r *rand.Rand, n int) []float32 {
	row := make([]float32, n)
	for i := range row {
		switch r.IntN(8) {
		case 0:
			row[i] = -inf
		case 1:
			row[i] = float32(r.IntN(4))
		default:
			row[i] = float32(r.NormFloat64() * 4)
		}
	}
	row[r.IntN(n)] = 1
	return row
}
