package sampling

import (
	"math"
	"slices"

	"example.com/minillm/internal/simd"
)

// Softmax writes the probabilities of logits to dst, of the same length, which
// may be logits itself: exp(x) over the sum of all exp. The highest logit is
// subtracted first, so that nothing overflows. -Inf becomes 0. Without a
// finite logit there are no probabilities and dst is all 0; a NaN or +Inf
// makes all of it NaN.
func Softmax(dst, logits []float32) {
	checkLengths("Softmax", dst, logits)
	w := works.Get().(*work)
	defer works.Put(w)
	sum := w.exps(logits, simd.Max(logits))
	if sum == 0 {
		clear(dst)
		return
	}
	scale := float32(1 / sum)
	for i, x := range w.weights {
		dst[i] = x * scale
	}
}

// LogSoftmax writes the logarithms of the probabilities of logits to dst, of
// the same length, which may be logits itself. A token that cannot be chosen
// has -Inf.
func LogSoftmax(dst, logits []float32) {
	checkLengths("LogSoftmax", dst, logits)
	z := logSum(logits)
	for i, x := range logits {
		dst[i] = float32(float64(x) - z)
	}
}

// logSum returns the logarithm of the sum of exp(x) over a row: 0 if all are
// -Inf, so that subtracting it leaves them so.
func logSum(logits []float32) float64 {
	w := works.Get().(*work)
	defer works.Put(w)
	top := simd.Max(logits)
	sum := w.exps(logits, top)
	if sum == 0 {
		return 0
	}
	return float64(top) + math.Log(sum)
}

// stretch is how many logits are looked at together.
const stretch = 256

// exps leaves exp(x-top) of logits, of which top is the highest, in weights and
// the sum of each stretch of them in sums; it returns the sum of all: 0 if there
// is no logit above -Inf, NaN if one is NaN or +Inf. Stretches are added up in
// float64, so that a large vocabulary costs no precision.
func (w *work) exps(logits []float32, top float32) (sum float64) {
	w.weights = slices.Grow(w.weights[:0], len(logits))[:len(logits)]
	w.sums = w.sums[:0]
	offset := max(top, -math.MaxFloat32) // -Inf less -Inf would be NaN
	for lo := 0; lo < len(logits); lo += stretch {
		hi := min(lo+stretch, len(logits))
		s := float64(simd.ExpSum(w.weights[lo:hi], logits[lo:hi], offset))
		w.sums = append(w.sums, s)
		sum += s
	}
	return sum
}

func checkLengths(name string, dst, logits []float32) {
	if len(dst) != len(logits) {
		panic("sampling: " + name + ": dst and logits differ in length")
	}
}
