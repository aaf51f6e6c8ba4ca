package transformer

import "math"

// rmsNorm writes x, divided by its root mean square and multiplied by weight,
// to dst, which may be x. Source: arXiv:1910.07467.
func rmsNorm(dst, x, weight []float32, eps float32) {
	var sum float64
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	scale := float32(1 / math.Sqrt(sum/float64(len(x))+float64(eps)))
	weight = weight[:len(x)]
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float32(v*scale) * weight[i]
	}
}

// headNorms normalises every head of heads [n][len(weight)] by itself.
func headNorms(heads, weight []float32, eps float32) {
	size := len(weight)
	for ; len(heads) > 0; heads = heads[size:] {
		rmsNorm(heads[:size], heads[:size], weight, eps)
	}
}

// add is dst += x.
func add(dst, x []float32) {
	for i, v := range x[:len(dst)] {
		dst[i] += v
	}
}

// scale is x *= by.
func scale(x []float32, by float32) {
	for i := range x {
		x[i] *= by
	}
}
