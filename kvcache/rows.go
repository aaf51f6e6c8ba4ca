package kvcache

import "math"

// scatter writes a key into its column of a group: number d goes to dst[d*Group].
func scatter(dst []float32, src []float32) {
	for d, x := range src {
		dst[d*Group] = x
	}
}

func scatterHalf(dst []uint16, src []float32) {
	for d, x := range src {
		dst[d*Group] = half(x)
	}
}

func packHalf(dst []uint16, src []float32) {
	for d, x := range src {
		dst[d] = half(x)
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
	var largest float32
	for _, x := range row {
		largest = max(largest, float32(math.Abs(float64(x)))) // max keeps NaN
	}
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

// half rounds to IEEE half precision, ties to even. What is too large becomes Inf.
func half(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00
	case b >= 0x477ff000: // 65520, which rounds to Inf, or more
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: the sum's low bits are the subnormal
		f := math.Float32frombits(b) + 0.5
		return sign | uint16(math.Float32bits(f)-0x3f000000)
	default:
		b += 0xfff + b>>13&1 - 112<<23
		return sign | uint16(b>>13)
	}
}

// unhalf widens a half-precision number; no bit is lost.
func unhalf(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	b := uint32(h&0x7fff) << 13
	switch {
	case b >= 0x7c00<<13: // Inf, NaN
		return math.Float32frombits(sign | b + 224<<23)
	case b < 0x400<<13: // subnormal: let the subtraction normalise it
		f := math.Float32frombits(b+113<<23) - math.Float32frombits(113<<23)
		return math.Float32frombits(sign | math.Float32bits(f))
	default:
		return math.Float32frombits(sign | b + 112<<23)
	}
}
