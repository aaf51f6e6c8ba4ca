package simd

import "encoding/binary"

// Products of small integers in plain Go, several in a 64-bit word. The words of a block have four bytes of two rows each,
// lower row first; eight words are a quad.

// dotQuads sets sums to start plus the products of quads of weights, shifted up, with the bytes of x. A word with a weight in
// each half, times an activation, has both products in its halves, the lower one's sign borrowed from the upper.
func dotQuads(sums *[MatRows]int32, w []uint64, x []byte, start int32, shift int) {
	var acc [8]uint64
	for ; len(x) >= 8 && len(w) >= 16; x, w = x[8:], w[16:] {
		x0, x1, x2, x3 := signed(x[0]), signed(x[1]), signed(x[2]), signed(x[3])
		y0, y1, y2, y3 := signed(x[4]), signed(x[5]), signed(x[6]), signed(x[7])
		for i := range acc {
			v, u := w[i], w[8+i]
			acc[i] += v&pairMask*x0 + v>>8&pairMask*x1 + v>>16&pairMask*x2 + v>>24&pairMask*x3 +
				u&pairMask*y0 + u>>8&pairMask*y1 + u>>16&pairMask*y2 + u>>24&pairMask*y3
		}
	}
	for i, v := range acc {
		lower := int32(v)
		upper := int32((v - uint64(int64(lower))) >> 32)
		sums[2*i] = lower<<shift + start
		sums[2*i+1] = upper<<shift + start
	}
}

// dotNibbles is dotQuads for the nibbles of 32 words, the lower ones of quads 0 to 3 and the upper ones of 4 to 7. It takes
// four products at a time: a word with weights a, b of one row and c, d of the other in its 16-bit lanes, times (y, x), has
// ax+by in the second lane and cx+dy in the fourth. What 16 columns add up to fits a lane.
func dotNibbles(sums *[MatRows]int32, w *[64]uint64, x *[32]byte, start int32, shift int) {
	var even, odd [8]uint64 // of each quad, the pairs of columns 0 and 2, 1 and 3
	for q := range 8 {
		even[q] = signed(x[4*q+2]) + signed(x[4*q])<<16
		odd[q] = signed(x[4*q+3]) + signed(x[4*q+1])<<16
	}
	for i := range 8 {
		var lower, upper uint64
		for q := range 4 {
			v := w[8*q+i]
			lower += v&laneMask*even[q] + v>>8&laneMask*odd[q]
			upper += v>>4&laneMask*even[4+q] + v>>12&laneMask*odd[4+q]
		}
		first, second := lanes(lower)
		third, fourth := lanes(upper)
		sums[2*i] = (first+third)<<shift + start
		sums[2*i+1] = (second+fourth)<<shift + start
	}
}

// laneMask keeps the lowest four bits of each lane.
const laneMask = 0x000f000f000f000f

// lanes returns the second and the fourth of four signed 16-bit lanes, each of which may have borrowed from the next.
func lanes(v uint64) (second, fourth int32) {
	return int32(int16((v + 1<<15) >> 16)), int32(int64(v+1<<47) >> 48)
}

// pairMask keeps the lowest byte of each half of a word.
const pairMask = 0x000000ff000000ff

func signed(b byte) uint64 { return uint64(int64(int8(b))) }

// expand unpacks the weights of a block to bytes, unless they are nibbles, as which they stay.
func (l *matLayout) expand(w *[64]uint64, src []byte) {
	switch l.bits {
	case 8:
		for i := range w {
			w[i] = binary.LittleEndian.Uint64(src[8*i:])
		}
	case 5:
		expandNibbles(w, src[64:])
		for i := range w {
			w[i] |= spreadBits(src[i]) << 4
		}
	case 4:
		for i := range 32 {
			w[i] = binary.LittleEndian.Uint64(src[8*i:])
		}
	case 6:
		expandSixes(w[:32], src)
		expandSixes(w[32:], src[192:])
	}
}

func expandNibbles(w *[64]uint64, src []byte) {
	const mask = 0x0f0f0f0f0f0f0f0f
	for i := range 32 {
		v := binary.LittleEndian.Uint64(src[8*i:])
		w[i], w[32+i] = v&mask, v>>4&mask
	}
}

// spreadBits returns the bits of b as the lowest ones of eight bytes.
func spreadBits(b byte) uint64 {
	v := uint64(b)
	v = (v | v<<28) & 0x0000000f0000000f
	v = (v | v<<14) & 0x0003000300030003
	return (v | v<<7) & 0x0101010101010101
}

func expandSixes(w []uint64, src []byte) {
	const six, two = 0x3f3f3f3f3f3f3f3f, 0x0303030303030303
	for i := range 8 {
		a := binary.LittleEndian.Uint64(src[8*i:])
		b := binary.LittleEndian.Uint64(src[64+8*i:])
		c := binary.LittleEndian.Uint64(src[128+8*i:])
		w[i], w[8+i], w[16+i] = a>>2&six, b>>2&six, c>>2&six
		w[24+i] = a&two<<4 | b&two<<2 | c&two
	}
}
