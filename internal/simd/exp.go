package simd

import "math"

// Every kernel with an exponential uses this one: exp(x) is 2^t with t =
// x*log2(e). The whole part of t becomes the exponent; the power of the rest,
// which lies in [0,1), is a polynomial. The result is within 1e-7*(2+|x|) of
// the true value relative to it, exactly 1 at 0, 0 where the true value would be
// subnormal, +Inf from 2^128 on, and NaN of NaN.
const (
	log2e  = 1.44269504088896340736
	minExp = -126 // least t whose power is a normal number
	maxExp = 128
)

// expPoly is the polynomial of degree 5 with value 1 at 0 whose largest error
// relative to 2^f is least on [0,1]: 8.2e-8, found by the Remez algorithm.
var expPoly = [...]float32{1, 0.69315131, 0.240164450, 0.0557999131, 0.00901703032, 0.00186713007}

func exp(x float32) float32 {
	t := x * log2e
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

// sigmoid is 1/(1+exp(-x)).
func sigmoid(x float32) float32 { return 1 / (1 + exp(-x)) }
