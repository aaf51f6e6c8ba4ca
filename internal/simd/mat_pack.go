package simd

import (
	"encoding/binary"
	"fmt"
)

// Pack re-lays the panels [panel0, panel1) from src, the whole tensor as the file has it, row by row. Workers may pack
// different panels at the same time.
func (m *Mat) Pack(src []byte, panel0, panel1 int) {
	rowBytes := m.Type.RowBytes(m.Cols)
	if len(src) != m.Rows*rowBytes || panel0 < 0 || panel1 > m.Panels() {
		panic(fmt.Sprintf("simd: panels %d to %d of a tensor of %d bytes", panel0, panel1, len(src)))
	}
	for p := panel0; p < panel1; p++ {
		dst, rows := m.panel(p)[:m.layout.panelBytes(m.units)], min(MatRows, m.Rows-p*MatRows)
		if rows < MatRows || m.Cols%m.layout.unitCols() != 0 || m.layout.bits == 5 {
			clear(dst) // for padding, and for bits that are added one row at a time
		}
		for o := range rows {
			m.layout.packRow(dst, src[(p*MatRows+o)*rowBytes:][:rowBytes], o)
		}
	}
}

// packRow writes a row of a tensor as row o of a panel.
func (l *matLayout) packRow(panel, src []byte, o int) {
	switch l.kind {
	case matF32, matF16, matBF16:
		l.packFloats(panel, src, o)
		return
	case matQ4K, matQ5K:
		for ; len(src) > 0; src, panel = src[144+32*l.high():], panel[superBytes+4*l.unitBytes():] {
			l.packSuper(panel, src, o)
		}
		return
	case matQ6K:
		for ; len(src) > 0; src, panel = src[210:], panel[superBytes+4*l.unitBytes():] {
			l.packQ6K(panel, src, o)
		}
		return
	}
	size := l.srcBytes()
	for b := 0; len(src) > 0; b, src = b+1, src[size:] {
		unit := panel[b/2*l.unitBytes():]
		copy(unit[32*(b%2)+2*o:], src[:2])
		weights := unit[l.scaleBytes()+b%2*l.blockBytes():][:l.blockBytes()]
		quants := src[2:size]
		if l.min {
			copy(unit[64+32*(b%2)+2*o:], src[2:4])
			quants = src[4:size]
		}
		switch l.bits {
		case 8:
			packBytes(weights, quants, o)
		case 5:
			packFifths(weights, binary.LittleEndian.Uint32(quants), o)
			packWords(weights[64:], quants[4:], o)
		case 4:
			packWords(weights, quants, o)
		}
	}
}

// srcBytes is the size of a block of 32 values in a file: half-precision scale and minimum, then the bits.
func (l *matLayout) srcBytes() int {
	if l.min {
		return 4 + 4*l.bits
	}
	return 2 + 4*l.bits
}

// high is the number of fifth bits per weight.
func (l *matLayout) high() int { return l.bits - 4 }

// packBytes writes 32 signed weights as row o of a block, made unsigned.
func packBytes(block, q []byte, o int) {
	for i := range 8 {
		w := binary.LittleEndian.Uint32(q[4*i:])
		binary.LittleEndian.PutUint32(block[64*i+4*o:], w^0x80808080)
	}
}

// packWords writes 16 bytes with nibbles as row o of a block.
func packWords(block, q []byte, o int) {
	for i := range 4 {
		copy(block[64*i+4*o:][:4], q[4*i:])
	}
}

// packFifths writes the bits of 32 columns as row o of eight words, one for each quad.
func packFifths(block []byte, high uint32, o int) {
	for i := range 8 {
		block[8*i+o/2] |= byte(high >> (4 * i) & 15 << (o % 2 * 4))
	}
}
