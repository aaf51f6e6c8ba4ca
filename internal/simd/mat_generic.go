package simd

import (
	"encoding/binary"
	"math"
)

// mulGeneric is the product of tiles and panels in plain Go.
func (l *matLayout) mulGeneric(t *matTile) {
	one := *t
	for i := range t.tiles {
		one.dst = t.dst[i*t.rows*t.stride:]
		if l.form == Floats {
			one.floats = t.floats[i*t.tileBytes/4:]
			l.mulFloats(&one)
			continue
		}
		one.bytes = t.bytes[i*t.tileBytes:]
		l.mulTile(&one)
	}
}

// mulTile multiplies one tile of bytes.
//
// Two products at a time: a 64-bit word with a weight in each half, times an activation, has both products in its halves,
// the lower one's sign borrowed from the upper.
func (l *matLayout) mulTile(t *matTile) {
	w := t.w
	for p := range t.panels {
		var acc [TileRows * MatRows]float32
		var super matScales
		for u := range t.units {
			if l.k && u%4 == 0 {
				super.halves(w, l.min)
				w = w[superBytes:]
			}
			for b := range 2 {
				l.mulBlock(&acc, t, w[:l.unitBytes()], &super, u, b)
			}
			w = w[l.unitBytes():]
		}
		undo := l.undoShift()
		for r := range t.rows {
			for o, v := range acc[r*MatRows:][:MatRows] {
				t.dst[r*t.stride+p*MatRows+o] = v * undo
			}
		}
	}
}

// mulBlock adds the products of block b of a unit.
func (l *matLayout) mulBlock(acc *[TileRows * MatRows]float32, t *matTile, unit []byte, super *matScales, u, b int) {
	var scales matScales
	l.scales(&scales, unit, super, b)
	var w [64]uint64
	l.expand(&w, unit[l.scaleBytes()+b*l.blockBytes():][:l.blockBytes()])
	block := t.bytes[(2*u+b)*t.rows*actBytes:][:t.rows*actBytes]
	for r := range t.rows {
		x := block[32*r:][:32]
		fields := block[32*t.rows+4*r:]
		field := func(i int) uint32 { return binary.LittleEndian.Uint32(fields[4*t.rows*i:]) }
		scale, sum := math.Float32frombits(field(0)), math.Float32frombits(field(1))
		out := (*[MatRows]float32)(acc[r*MatRows:])
		var sums [2][MatRows]int32
		switch {
		case l.half:
			dotQuads(&sums[0], w[:32], x[:16], int32(field(3)), l.shift())
			dotQuads(&sums[1], w[32:], x[16:], int32(field(2)-field(3)), l.shift())
			for o := range out {
				v := float32(sums[0][o])*scales.scale[o] + float32(sums[1][o])*scales.min[o]
				out[o] += v * scale
			}
		case l.min:
			dotQuads(&sums[0], w[:], x, 0, 0)
			for o := range out {
				out[o] += float32(sums[0][o]) * scales.scale[o] * scale
				out[o] += scales.min[o] * sum
			}
		default:
			dotQuads(&sums[0], w[:], x, int32(field(2)), l.shift())
			for o := range out {
				out[o] += float32(sums[0][o]) * scales.scale[o] * scale
			}
		}
	}
}

// shift is by how much symmetric weights are shifted up to the full byte, so that all have the same correction.
func (l *matLayout) shift() int {
	if l.min {
		return 0
	}
	return 8 - l.bits
}

// undoShift is the power of two that undoes shift.
func (l *matLayout) undoShift() float32 { return 1 / float32(int(1)<<l.shift()) }

// matScales are the scales of 16 rows, and their minimums or second scales.
type matScales struct {
	scale, min [MatRows]float32
}

// halves reads half-precision scales, and minimums after them if there are any.
func (s *matScales) halves(src []byte, min bool) {
	for o := range MatRows {
		s.scale[o] = fromHalf(binary.LittleEndian.Uint16(src[2*o:]))
		if min {
			s.min[o] = fromHalf(binary.LittleEndian.Uint16(src[32+2*o:]))
		}
	}
}

// scales reads those of block b of a unit.
func (l *matLayout) scales(s *matScales, unit []byte, super *matScales, b int) {
	for o := range MatRows {
		switch {
		case l.half:
			s.scale[o] = float32(int8(unit[32*b+o])) * super.scale[o]
			s.min[o] = float32(int8(unit[32*b+16+o])) * super.scale[o]
		case l.k:
			s.scale[o] = float32(unit[16*b+o]) * super.scale[o]
			s.min[o] = float32(unit[32+16*b+o]) * super.min[o]
		default:
			s.scale[o] = fromHalf(binary.LittleEndian.Uint16(unit[32*b+2*o:]))
			if l.min {
				s.min[o] = fromHalf(binary.LittleEndian.Uint16(unit[64+32*b+2*o:]))
			}
		}
	}
}

// dotQuads sets sums to start plus the products of quads of weights, shifted up, with the bytes of x. The eight words of a
// quad have two rows each, four bytes per row.
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

// pairMask keeps the lowest byte of each half of a word.
const pairMask = 0x000000ff000000ff

func signed(b byte) uint64 { return uint64(int64(int8(b))) }

// expand unpacks the weights of a block to bytes.
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
		expandNibbles(w, src)
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
		a, b, c := binary.LittleEndian.Uint64(src[8*i:]), binary.LittleEndian.Uint64(src[64+8*i:]), binary.LittleEndian.Uint64(src[128+8*i:])
		w[i], w[8+i], w[16+i] = a>>2&six, b>>2&six, c>>2&six
		w[24+i] = a&two<<4 | b&two<<2 | c&two
	}
}
