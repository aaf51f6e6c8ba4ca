package simd

// Softmax writes the exponentials of x, divided by their sum, to dst, which may
// be x. A number of -Inf becomes 0; if all are -Inf, or any is NaN or +Inf, the
// result is NaN.
func Softmax(dst, x []float32) {
	sameLength("Softmax", len(dst), len(x))
	if len(x) == 0 {
		return
	}
	Scale(dst, 1/expSum(dst, x, maximum(x)))
}

// ExpSum writes exp(x-offset) to dst, which may be x, and returns the sum.
func ExpSum(dst, x []float32, offset float32) float32 {
	sameLength("ExpSum", len(dst), len(x))
	return expSum(dst, x, offset)
}

// expSumGeneric sums in four lanes.
func expSumGeneric(dst, x []float32, offset float32) float32 {
	x = x[:len(dst)]
	var s [4]float32
	for i, v := range x {
		e := exp(v - offset)
		dst[i] = e
		s[i%4] += e
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}
