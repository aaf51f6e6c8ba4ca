package quant

import (
	"encoding/binary"
	"math"
)

// F16ToF32 widens an IEEE half; every half has an exact single. The exponent moves up by the difference of the biases in
// a multiplication, which normalises subnormals on the way.
func F16ToF32(h uint16) float32 {
	sign, abs := uint32(h&0x8000)<<16, uint32(h&0x7fff)
	if abs >= 0x7c00 {
		return math.Float32frombits(sign | 0x7f800000 | abs<<13)
	}
	x := math.Float32frombits(abs<<13) * 0x1p112
	return math.Float32frombits(sign | math.Float32bits(x))
}

// F32ToF16 rounds to the nearest half, ties to even. What is beyond 65519 becomes infinite; NaN stays NaN.
func F32ToF16(f float32) uint16 {
	b := math.Float32bits(f)
	sign, abs := uint16(b>>16)&0x8000, b&0x7fffffff
	switch {
	case abs > 0x7f800000:
		return sign | 0x7e00 | uint16(abs>>13)&0x3ff
	case abs >= 0x477ff000: // halfway between the largest half and the next that would be
		return sign | 0x7c00
	case abs < 0x38800000: // subnormal: the unit in the last place of 0.5 is 2^-24, that of subnormal halves
		return sign | uint16(math.Float32bits(math.Float32frombits(abs)+0.5)-0x3f000000)
	}
	abs += 0xfff + abs>>13&1
	return sign | uint16(abs>>13-(127-15)<<10)
}

// BF16ToF32 widens a bfloat16; it is exact.
func BF16ToF32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F32ToBF16 rounds to the nearest bfloat16, ties to even; NaN becomes a quiet NaN.
func F32ToBF16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// The formats without blocks are decoded by the slice: a call for each value would cost more than the value.

func decodeF32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

func encodeF32(dst []byte, src []float32) {
	for i, x := range src {
		binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(x))
	}
}

func decodeF16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = half(src[2*i:])
	}
}

func encodeF16(dst []byte, src []float32) {
	for i, x := range src {
		putHalf(dst[2*i:], x)
	}
}

func decodeBF16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = BF16ToF32(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

func encodeBF16(dst []byte, src []float32) {
	for i, x := range src {
		binary.LittleEndian.PutUint16(dst[2*i:], F32ToBF16(x))
	}
}

// half reads the half-precision scale at the start of b.
func half(b []byte) float32 { return F16ToF32(binary.LittleEndian.Uint16(b)) }

func putHalf(b []byte, f float32) { binary.LittleEndian.PutUint16(b, F32ToF16(f)) }
