package simd

import "math"

// F16ToF32 widens IEEE half-precision numbers. Nothing is lost.
func F16ToF32(dst []float32, src []uint16) {
	sameLength("F16ToF32", len(dst), len(src))
	f16ToF32(dst, src)
}

// F32ToF16 rounds to IEEE half precision, ties to even. What is too large
// becomes infinite, NaN stays NaN.
func F32ToF16(dst []uint16, src []float32) {
	sameLength("F32ToF16", len(dst), len(src))
	f32ToF16(dst, src)
}

func f16ToF32Generic(dst []float32, src []uint16) {
	src = src[:len(dst)]
	for i, h := range src {
		dst[i] = fromHalf(h)
	}
}

func f32ToF16Generic(dst []uint16, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = toHalf(x)
	}
}

// fromHalf widens one half. The exponent is moved up by the difference of the
// biases in a multiplication, which normalises subnormals on the way.
func fromHalf(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	abs := uint32(h & 0x7fff)
	if abs >= 0x7c00 { // Inf; NaN is made quiet, as the processor does
		b := sign | 0x7f800000 | abs<<13
		if abs > 0x7c00 {
			b |= 0x400000
		}
		return math.Float32frombits(b)
	}
	x := math.Float32frombits(abs<<13) * 0x1p112
	return math.Float32frombits(sign | math.Float32bits(x))
}

// toHalf rounds to one half.
func toHalf(x float32) uint16 {
	b := math.Float32bits(x)
	sign, abs := uint16(b>>16)&0x8000, b&0x7fffffff
	switch {
	case abs > 0x7f800000: // NaN keeps its upper bits and becomes quiet
		return sign | 0x7e00 | uint16(abs>>13)&0x3ff
	case abs >= 0x477ff000: // 65520 and beyond round to 65536, which is infinite
		return sign | 0x7c00
	case abs < 0x38800000: // subnormal: 0.5 has its last place where they have theirs
		return sign | uint16(math.Float32bits(math.Float32frombits(abs)+0.5)-0x3f000000)
	}
	abs += 0xfff + abs>>13&1
	return sign | uint16(abs>>13-112<<10)
}
