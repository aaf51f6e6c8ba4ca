package simd

import "math"

// Every kernel with an exponential uses this one. The whole part of t becomes
// the exponent of exp2(t); the power of the rest, which lies in [0,1), is a
// polynomial. It is within 2e-7 of the true value relative to it, exactly 1 at
// 0, 0 where the true value would be subnormal, +Inf from 128 on, NaN of NaN.
const (
	minExp = -126 // least t whose power is a normal number
	maxExp = 128
)

// expPoly is the polynomial of degree 5 with value 1 at 0 whose largest error
// relative to 2^f is least on [0,1]: 8.2e-8, found by the Remez algorithm.
var expPoly = [...]float32{1, 0.69315131, 0.240164450, 0.0557999131, 0.00901703032, 0.00186713007}

func exp2(t float32) float32 {
	switch {
	case t < minExp:
		return 0
	case t >= maxExp:
		return float32(math.Inf(1))
	case t != t:
		return t
	}
	whole := int32(t + -minExp) // rounds towards zero, that is down
	f := t - float32(whole+minExp)
	p := expPoly[5]
	for i := 4; i >= 0; i-- {
		p = p*f + expPoly[i]
	}
	return math.Float32frombits(math.Float32bits(p) + uint32(whole+minExp)<<23)
}

const log2e = 1.44269504088896340736

// exp is within 1e-7*(2+|x|) of the true value relative to it: what the
// rounding of the product costs.
func exp(x float32) float32 { return exp2(x * log2e) }

// sigmoid is 1/(1+2^t), with t = -x*log2(e) for the sigmoid of x. From 100 on,
// where it is 2^-100, it falls no further, so that it never gets subnormal.
func sigmoid(t float32) float32 { return 1 / (1 + exp2(min(t, 100))) }

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
