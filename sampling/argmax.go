package sampling

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"example.com/minillm/internal/simd"
)

var inf = float32(math.Inf(1))

// Argmax returns the token with the highest logit, the lowest id on ties. It
// reads the whole row, so it also answers whether the row is sound: the error
// wraps [ErrBadLogit] for a NaN or +Inf anywhere, and is [ErrNoToken] if all are -Inf.
func Argmax(logits []float32) (int32, error) {
	if squares := simd.Dot(logits, logits); squares != squares { // they cannot cancel: one is NaN
		i := slices.IndexFunc(logits, func(x float32) bool { return x != x })
		return 0, badLogit(i, logits[i])
	}
	best := simd.Argmax(logits)
	switch {
	case best < 0 || logits[best] == -inf:
		return 0, ErrNoToken
	case logits[best] == inf:
		return 0, badLogit(best, inf)
	}
	return int32(best), nil
}

func badLogit(id int, x float32) error {
	return fmt.Errorf("%w: token %d has %v", ErrBadLogit, id, x)
}

// Top appends to dst the ids of the k highest logits, highest first, the lower
// id first on ties. Fewer if fewer are above -Inf; NaN are passed over. It
// selects with a heap of k ids and passes over stretches without any logit
// above the heap's lowest.
func Top(dst []int32, logits []float32, k int) []int32 {
	if k <= 0 {
		return dst
	}
	start := len(dst)
	dst, next := firstIDs(dst, logits, k)
	heap := dst[start:]
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, logits, i)
	}
	for ; next < len(logits); next += stretch {
		end := min(next+stretch, len(logits))
		if simd.Max(logits[next:end]) > logits[heap[0]] {
			offer(heap, logits, next, end)
		}
	}
	sortHighest(heap, logits)
	return dst
}

// firstIDs appends the ids of the first k logits above -Inf, and returns where it stopped.
func firstIDs(dst []int32, logits []float32, k int) (ids []int32, next int) {
	for i, x := range logits {
		if k == 0 {
			return dst, i
		}
		if x > -inf {
			dst = append(dst, int32(i))
			k--
		}
	}
	return dst, len(logits)
}

// offer puts those of the logits [lo,hi) into a full heap that belong there.
func offer(heap []int32, logits []float32, lo, hi int) {
	floor := logits[heap[0]]
	for i, x := range logits[lo:hi] {
		if x > floor { // an equal one loses: its id is higher
			heap[0] = int32(lo + i)
			sink(heap, logits, 0)
			floor = logits[heap[0]]
		}
	}
}

// sink restores the heap below i; its root is the token that goes first: the
// lowest logit, the highest id on ties.
func sink(heap []int32, logits []float32, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && worse(heap[child+1], heap[child], logits) {
			child++
		}
		if !worse(heap[child], heap[i], logits) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// sortHighest sorts ids by falling logits, the lower id first on ties.
func sortHighest(ids []int32, logits []float32) {
	slices.SortFunc(ids, func(a, b int32) int {
		if c := cmp.Compare(logits[b], logits[a]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
}

// worse says whether a token goes before b does.
func worse(a, b int32, logits []float32) bool {
	x, y := logits[a], logits[b]
	return x < y || x == y && a > b
}
