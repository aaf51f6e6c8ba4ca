package simd

import "encoding/binary"

// probeSink keeps the compiler from dropping the loops.
var probeSink struct {
	bits  uint64
	float float32
}

func probeReadGeneric(b []byte) {
	var x uint64
	for ; len(b) >= 64; b = b[64:] {
		x |= binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) | binary.LittleEndian.Uint64(b[16:]) |
			binary.LittleEndian.Uint64(b[24:]) | binary.LittleEndian.Uint64(b[32:]) | binary.LittleEndian.Uint64(b[40:]) |
			binary.LittleEndian.Uint64(b[48:]) | binary.LittleEndian.Uint64(b[56:])
	}
	if x == 1 {
		probeSink.bits = x
	}
}

// probeDotGeneric multiplies as dotQuads does: two products in a word.
func probeDotGeneric() (operations int) {
	var a, b, c, d uint64
	for i := range uint64(probeRounds) {
		a += i & 0x000000ff000000ff * 3
		b += i >> 8 & 0x000000ff000000ff * 5
		c += i >> 16 & 0x000000ff000000ff * 7
		d += i >> 24 & 0x000000ff000000ff * 9
	}
	if a+b+c+d == 1 {
		probeSink.bits = a
	}
	return probeRounds * 4 * 2 * 2
}

func probeFMAGeneric() (operations int) {
	var a, b, c, d float32
	for i := range probeRounds {
		x := float32(i)
		a += x * 3
		b += x * 5
		c += x * 7
		d += x * 9
	}
	if a+b+c+d == 1 {
		probeSink.float = a
	}
	return probeRounds * 4 * 2
}
