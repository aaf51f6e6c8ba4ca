package transformer

import "example.com/minillm/internal/simd"

// headNorms normalises every head of heads [n][len(weight)] by itself.
func headNorms(heads, weight []float32, eps float32) {
	size := len(weight)
	for ; len(heads) > 0; heads = heads[size:] {
		simd.RMSNorm(heads[:size], heads[:size], weight, eps)
	}
}
