package kvcache

import (
	"math"

	"example.com/minillm/internal/simd"
)

// scatter writes a key into its column of a group: number d goes to dst[d*Group].
func scatter(dst []float32, src []float32) {
	for d, x := range src {
		dst[d*Group] = x
	}
}

func scatterHalf(dst []uint16, src []float32) {
	var packed [64]uint16
	for at := 0; at < len(src); at += len(packed) {
		part := src[at:min(at+len(packed), len(src))]
		simd.F32ToF16(packed[:len(part)], part)
		for d, h := range packed[:len(part)] {
			dst[(at+d)*Group] = h
		}
	}
}

// scatterQ8 is scatter for bytes; it returns the scale of the row.
func scatterQ8(dst []int8, src []float32) float32 {
	scale, inverse := scaleQ8(src)
	for d, x := range src {
		dst[d*Group] = roundQ8(float32(x * inverse))
	}
	return scale
}

func packQ8(dst []int8, src []float32) float32 {
	scale, inverse := scaleQ8(src)
	for d, x := range src {
		dst[d] = roundQ8(float32(x * inverse))
	}
	return scale
}

// scaleQ8 returns the scale that maps the largest number of a row to 127, and
// its inverse. A NaN or an Inf in the row makes the scale one, so that the row
// stays as wrong as it was.
func scaleQ8(row []float32) (scale, inverse float32) {
	var bits uint32 // those of positive numbers are ordered as they are, Inf and NaN above all
	for _, x := range row {
		bits = max(bits, math.Float32bits(x)&0x7fffffff)
	}
	largest := math.Float32frombits(bits)
	if largest < 1e-30 { // its inverse could overflow
		return 0, 0
	}
	return largest / 127, 127 / largest
}

// roundQ8 rounds to nearest, ties to even: adding 1.5*2^23 leaves the integer
// in the low bits of the sum. Callers convert their product explicitly, which
// keeps compilers from fusing it with the addition.
func roundQ8(x float32) int8 {
	return int8(math.Float32bits(x + 3<<22))
}
