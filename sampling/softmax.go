package sampling

import "math"

// Softmax writes the probabilities of logits to dst, of the same length, which
// may be logits itself: exp(x) over the sum of all exp. The highest logit is
// subtracted first, so that nothing overflows. -Inf becomes 0. Without a
// finite logit there are no probabilities and dst is all 0; a NaN or +Inf
// makes all of it NaN.
func Softmax(dst, logits []float32) {
	checkLengths("Softmax", dst, logits)
	sum := exps(dst, logits, highest(logits))
	if sum == 0 {
		return
	}
	scale := float32(1 / sum)
	for i := range dst {
		dst[i] *= scale
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
	top := highest(logits)
	sum := exps(w.row(len(logits)), logits, top)
	if sum == 0 {
		return 0
	}
	return float64(top) + math.Log(sum)
}

// row returns the weights as a row of n.
func (w *work) row(n int) []float32 {
	if cap(w.weights) < n {
		w.weights = make([]float32, n)
	}
	return w.weights[:n]
}

// exps writes exp(x-top) to dst and returns the sum, where top is the highest
// of logits. It is 0 if top is -Inf.
func exps(dst, logits []float32, top float32) float64 {
	if top == -inf {
		clear(dst)
		return 0
	}
	var sum float64
	for i, x := range logits {
		e := exp(x - top)
		dst[i] = e
		sum += float64(e)
	}
	return sum
}

// exp returns e to the power of x, for x up to 0, within 2 units in the last
// place: the nearest power of two times a polynomial of what is left (Cephes'
// expf). Below -87 it is 0; NaN stays NaN.
func exp(x float32) float32 {
	const (
		log2e = 1.44269504088896341
		ln2hi = 0.693359375
		ln2lo = -2.12194440e-4
		round = 3 << 22 // adding it leaves the nearest integer in the low bits
	)
	if x < -87 {
		return 0
	}
	n := float32(x*log2e) + round - round
	r := x - n*ln2hi - n*ln2lo
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	return (p*r*r + r + 1) * math.Float32frombits(uint32(int32(n)+127)<<23)
}

func checkLengths(name string, dst, logits []float32) {
	if len(dst) != len(logits) {
		panic("sampling: " + name + ": dst and logits differ in length")
	}
}
