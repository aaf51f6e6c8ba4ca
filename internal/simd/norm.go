package simd

import "math"

// RMSNorm writes x, divided by its root mean square and multiplied by weight,
// to dst, which may be x. All three are one row of the same length; eps is added
// to the mean square. Source: Zhang and Sennrich, arXiv:1910.07467.
func RMSNorm(dst, x, weight []float32, eps float32) {
	sameLength("RMSNorm", len(dst), len(x))
	sameLength("RMSNorm", len(x), len(weight))
	if len(x) == 0 {
		return
	}
	mean := float64(dot(x, x)) / float64(len(x))
	mulScaled(dst, x, weight, float32(1/math.Sqrt(mean+float64(eps))))
}

// mulScaledGeneric writes (x*a)*w to dst.
func mulScaledGeneric(dst, x, w []float32, a float32) {
	x, w = x[:len(dst)], w[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * a * w[i]
	}
}
