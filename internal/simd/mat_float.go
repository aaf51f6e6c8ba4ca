package simd

import (
	"encoding/binary"
	"math"

	"example.com/minillm/internal/quant"
)

// Unquantised weights: their layout, and the product in plain Go. Kernels of all tiers sum even and odd columns apart.

// packFloats writes a row of weights as row o of a panel.
func (l *matLayout) packFloats(panel, src []byte, o int) {
	switch l.kind {
	case matF32:
		for ; len(src) >= 4; panel, src = panel[64:], src[4:] {
			binary.LittleEndian.PutUint32(panel[4*o:], binary.LittleEndian.Uint32(src))
		}
	case matF16:
		for ; len(src) >= 8; panel, src = panel[128:], src[8:] {
			four, columns := binary.LittleEndian.Uint64(src), panel[2*o:][:98]
			binary.LittleEndian.PutUint16(columns, uint16(four))
			binary.LittleEndian.PutUint16(columns[32:], uint16(four>>16))
			binary.LittleEndian.PutUint16(columns[64:], uint16(four>>32))
			binary.LittleEndian.PutUint16(columns[96:], uint16(four>>48))
		}
		for ; len(src) >= 2; panel, src = panel[32:], src[2:] {
			binary.LittleEndian.PutUint16(panel[2*o:], binary.LittleEndian.Uint16(src))
		}
	case matBF16:
		for ; len(src) >= 4; panel, src = panel[64:], src[4:] {
			binary.LittleEndian.PutUint32(panel[4*o:], binary.LittleEndian.Uint32(src))
		}
		copy(panel[min(4*o, len(panel)):], src) // an odd column
	}
}

// mulFloats multiplies a tile in plain Go.
func (l *matLayout) mulFloats(t *matTile) {
	w := t.w
	for p := range t.panels {
		var sums [2][TileRows * MatRows]float32
		for c := range t.units * l.unitCols() {
			var col [MatRows]float32
			l.column(&col, w, c)
			for r := range t.rows {
				x := t.floats[c*t.rows+r]
				out := (*[MatRows]float32)(sums[c%2][r*MatRows:])
				for o, v := range col {
					out[o] += float32(v * x)
				}
			}
		}
		w = w[l.panelBytes(t.units):]
		for r := range t.rows {
			dst := t.dst[r*t.stride+p*MatRows:][:MatRows]
			for o := range dst {
				dst[o] = sums[0][r*MatRows+o] + sums[1][r*MatRows+o]
			}
		}
	}
}

// column reads the weights of column c of a panel.
func (l *matLayout) column(col *[MatRows]float32, panel []byte, c int) {
	switch l.kind {
	case matF32:
		src := panel[64*c:][:64]
		for o := range col {
			col[o] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*o:]))
		}
	case matF16:
		src := panel[32*c:][:32]
		for o := range col {
			col[o] = quant.F16ToF32(binary.LittleEndian.Uint16(src[2*o:]))
		}
	case matBF16:
		src := panel[c/2*64:][:64]
		for o := range col {
			col[o] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[4*o+c%2*2:])) << 16)
		}
	}
}
