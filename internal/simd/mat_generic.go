package simd

import (
	"encoding/binary"
	"math"

	"example.com/minillm/internal/quant"
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
func (l *matLayout) mulTile(t *matTile) {
	w := t.w
	for p := range t.panels {
		var acc [TileRows][MatRows]float32
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
			for o, v := range &acc[r] {
				t.dst[r*t.stride+p*MatRows+o] = v * undo
			}
		}
	}
}

// mulBlock adds the products of block b of a unit.
func (l *matLayout) mulBlock(acc *[TileRows][MatRows]float32, t *matTile, unit []byte, super *matScales, u, b int) {
	var scales matScales
	l.scales(&scales, unit, super, b)
	var w [64]uint64
	l.expand(&w, unit[l.scaleBytes()+b*l.blockBytes():][:l.blockBytes()])
	block := t.bytes[(2*u+b)*t.rows*actBytes:][:t.rows*actBytes]
	for r := range t.rows {
		l.mulRow(&acc[r], &scales, &w, actRowOf(block, r, t.rows))
	}
}

// mulRow adds the products of a block with a row of activations.
func (l *matLayout) mulRow(out *[MatRows]float32, s *matScales, w *[64]uint64, x actRow) {
	var sums, second [MatRows]int32
	switch {
	case l.half:
		dotQuads(&sums, w[:32], x.bytes[:16], x.half, l.shift())
		dotQuads(&second, w[32:], x.bytes[16:], x.all-x.half, l.shift())
		for o := range out {
			out[o] += (float32(sums[o])*s.scale[o] + float32(second[o])*s.min[o]) * x.scale
		}
		return
	case l.bits == 4:
		dotNibbles(&sums, w, x.bytes, x.start(l.min), l.shift())
	default:
		dotQuads(&sums, w[:], x.bytes[:], x.start(l.min), l.shift())
	}
	for o := range out {
		out[o] += float32(sums[o]) * s.scale[o] * x.scale
	}
	if l.min {
		for o := range out {
			out[o] += s.min[o] * x.sum
		}
	}
}

// actRow is a row of activations in a block.
type actRow struct {
	bytes      *[32]byte
	scale, sum float32
	all, half  int32 // corrections
}

func actRowOf(block []byte, r, rows int) actRow {
	fields := block[32*rows+4*r:]
	return actRow{
		bytes: (*[32]byte)(block[32*r:]),
		scale: math.Float32frombits(binary.LittleEndian.Uint32(fields)),
		sum:   math.Float32frombits(binary.LittleEndian.Uint32(fields[4*rows:])),
		all:   int32(binary.LittleEndian.Uint32(fields[8*rows:])),
		half:  int32(binary.LittleEndian.Uint32(fields[12*rows:])),
	}
}

// start is what sums of products start from: the correction for unsigned weights, unless those have minimums.
func (x *actRow) start(min bool) int32 {
	if min {
		return 0
	}
	return x.all
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
		s.scale[o] = quant.F16ToF32(binary.LittleEndian.Uint16(src[2*o:]))
		if min {
			s.min[o] = quant.F16ToF32(binary.LittleEndian.Uint16(src[32+2*o:]))
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
			s.scale[o] = quant.F16ToF32(binary.LittleEndian.Uint16(unit[32*b+2*o:]))
			if l.min {
				s.min[o] = quant.F16ToF32(binary.LittleEndian.Uint16(unit[64+32*b+2*o:]))
			}
		}
	}
}
