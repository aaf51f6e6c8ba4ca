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
	for i, x := range bytes[:32] {
		bits |= uint32(x>>b&1) << i
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
		low, high := src[b/4*64+b%2*32:][:32], src[128+b/4*32:][:32]
		var q [32]byte
		for j := range q {
			q[j] = low[j]>>(b%4/2*4)&15 | high[j]>>(b%4*2)&3<<4
		}
		packSixes(unit[l.scaleBytes()+b%2*l.blockBytes():], &q, o)
	}
}

// packSixes writes 32 weights of six bits as row o of a block.
func packSixes(block []byte, q *[32]byte, o int) {
	for half := range 2 {
		last := binary.LittleEndian.Uint32(q[16*half+12:])
		for i := range 3 {
			w := binary.LittleEndian.Uint32(q[16*half+4*i:])
			two := last >> (4 - 2*i) & 0x03030303
			binary.LittleEndian.PutUint32(block[192*half+64*i+4*o:], w<<2|two)
		}
	}
}
