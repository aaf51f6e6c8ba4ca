package simd

import (
	"encoding/binary"
)

// packSuper writes a block of 256 values of Q4_K or Q5_K as row o of four units.
func (l *matLayout) packSuper(super, src []byte, o int) {
	copy(super[2*o:][:2], src)
	minimum := binary.LittleEndian.Uint16(src[2:])
	binary.LittleEndian.PutUint16(super[32+2*o:], minimum^0x8000)
	var scales, minimums [8]byte
	unpackScales(&scales, &minimums, src[4:16])
	high, nibbles := src[16:16+32*l.high()], src[16+32*l.high():]
	for b := range 8 {
		unit := super[superBytes+b/2*l.unitBytes():]
		unit[16*(b%2)+o] = scales[b]
		unit[32+16*(b%2)+o] = minimums[b]
		weights := unit[l.scaleBytes()+b%2*l.blockBytes():][:l.blockBytes()]
		if l.bits == 5 {
			packFifths(weights, gatherBit(high, b), o)
			weights = weights[64:]
		}
		packHalves(weights, nibbles[b/2*32:][:32], b%2*4, o)
	}
}

// unpackScales unpacks the 6-bit scales and minimums of eight blocks.
func unpackScales(scales, minimums *[8]byte, b []byte) {
	for s := range 4 {
		scales[s], minimums[s] = b[s]&63, b[s+4]&63
		scales[s+4] = b[s+8]&15 | b[s]>>6<<4
		minimums[s+4] = b[s+8]>>4 | b[s+4]>>6<<4
	}
}

// gatherBit returns the bits number b of 32 bytes.
func gatherBit(bytes []byte, b int) (bits uint32) {
	for i := range 4 {
		// The multiplication brings bit 0 of byte j to bit 56+j.
		v := binary.LittleEndian.Uint64(bytes[8*i:]) >> b & 0x0101010101010101
		bits |= uint32(v*0x0102040810204080>>56) << (8 * i)
	}
	return bits
}

// packHalves writes the lower or (shift 4) upper halves of 32 bytes as row o of a block of nibbles.
func packHalves(block, q []byte, shift, o int) {
	const mask = 0x0f0f0f0f
	for i := range 4 {
		lower := binary.LittleEndian.Uint32(q[4*i:]) >> shift & mask
		upper := binary.LittleEndian.Uint32(q[16+4*i:]) >> shift & mask
		binary.LittleEndian.PutUint32(block[64*i+4*o:], lower|upper<<4)
	}
}

// packQ6K writes a block of 256 values as row o of four units.
func (l *matLayout) packQ6K(super, src []byte, o int) {
	copy(super[2*o:][:2], src[208:])
	for b := range 8 {
		unit := super[superBytes+b/2*l.unitBytes():]
		unit[32*(b%2)+o] = src[192+2*b]
		unit[32*(b%2)+16+o] = src[192+2*b+1]
		weights := unit[l.scaleBytes()+b%2*l.blockBytes():][:l.blockBytes()]
		low, high := src[b/4*64+b%2*32:][:32], src[128+b/4*32:][:32]
		quad := func(q int) uint32 {
			lower := binary.LittleEndian.Uint32(low[4*q:]) >> (b % 4 / 2 * 4) & 0x0f0f0f0f
			upper := binary.LittleEndian.Uint32(high[4*q:]) >> (b % 4 * 2) & 0x03030303
			return lower | upper<<4
		}
		packSixes(weights, quad(0), quad(1), quad(2), quad(3), o)
		packSixes(weights[192:], quad(4), quad(5), quad(6), quad(7), o)
	}
}

// packSixes writes four quads of six bits as row o of half a block: the bits of the last one lie below the others.
func packSixes(half []byte, a, b, c, d uint32, o int) {
	const two = 0x03030303
	binary.LittleEndian.PutUint32(half[4*o:], a<<2|d>>4&two)
	binary.LittleEndian.PutUint32(half[64+4*o:], b<<2|d>>2&two)
	binary.LittleEndian.PutUint32(half[128+4*o:], c<<2|d&two)
}
