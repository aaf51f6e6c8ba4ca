package simd

import (
	"fmt"

	"example.com/minillm/internal/quant"
)

// A matLayout is how a panel, the weights of 16 rows, lies in memory: one ascending stream of units, each with all that
// the kernels need for some columns of all 16 rows. It begins at a multiple of 64, and so does every part of 64 bytes.
//
// The quantised formats have units of 64 columns, a pair of blocks of 32:
//
//	scales of both blocks, 2 x [16]float16, or with k one byte each
//	minimums likewise, if there are any
//	weights of the first block, then of the second, unsigned
//
// The columns of a block form eight quads of four. In 64 bytes of 8-bit weights byte 4*o+i is column 4*q+i of row o. Of
// fewer bits, four lie in nibbles: the i-th of four times 64 bytes has quad i in the lower halves and i+4 in the upper. The
// fifth bits stand before them: eight words of 64 bits, a quad each. Six bits lie in two times 3*64 bytes, for quads 0 to
// 3 and 4 to 7: each 64 bytes hold a quad in their upper six bits, and two bits of the fourth quad below.
//
// With k, the bytes of scales stand under scales of 256 columns, in 64 bytes before every fourth unit: 16 float16 that
// multiply them, and 16 for the minimums, negative. With half, there are two scales a block, signed, and no minimums.
//
// The float formats have units of 16 columns: for each the 16 weights of the rows; bfloat16 in pairs of columns, the even
// one in the lower half of 32 bits.
type matLayout struct {
	kind matKind
	form Form
	bits int  // of a weight
	min  bool // value = scale*q + minimum, else scale*(q - half of the range)
	k    bool // scales are bytes
	half bool // a scale for every 16 columns
}

type matKind uint8

const (
	matQ8 matKind = iota
	matQ4
	matQ4Min
	matQ5
	matQ5Min
	matQ4K
	matQ5K
	matQ6K
	matF32
	matF16
	matBF16
)

var matLayouts = map[quant.Type]*matLayout{
	quant.Q8_0: {kind: matQ8, form: Bytes, bits: 8},
	quant.Q4_0: {kind: matQ4, form: Bytes, bits: 4},
	quant.Q4_1: {kind: matQ4Min, form: Bytes, bits: 4, min: true},
	quant.Q5_0: {kind: matQ5, form: Bytes, bits: 5},
	quant.Q5_1: {kind: matQ5Min, form: Bytes, bits: 5, min: true},
	quant.Q4_K: {kind: matQ4K, form: Bytes, bits: 4, min: true, k: true},
	quant.Q5_K: {kind: matQ5K, form: Bytes, bits: 5, min: true, k: true},
	quant.Q6_K: {kind: matQ6K, form: Bytes, bits: 6, k: true, half: true},
	quant.F32:  {kind: matF32, form: Floats, bits: 32},
	quant.F16:  {kind: matF16, form: Floats, bits: 16},
	quant.BF16: {kind: matBF16, form: Floats, bits: 16},
}

func layoutOf(t quant.Type) *matLayout {
	l := matLayouts[t]
	if l == nil {
		panic(fmt.Sprintf("simd: no matrix of format %v", t))
	}
	return l
}

// superBytes stand before every fourth unit of a k layout.
const superBytes = 64

// unitCols is the number of columns in a unit.
func (l *matLayout) unitCols() int {
	if l.form == Floats {
		return floatCols
	}
	return 64
}

// floatCols is unitCols of the float formats.
const floatCols = 16

func (l *matLayout) unitsOf(cols int) int { return (cols + l.unitCols() - 1) / l.unitCols() }

// scaleBytes is the size of scales and minimums of a unit of quantised weights.
func (l *matLayout) scaleBytes() int {
	if l.min && !l.k {
		return 128
	}
	return 64
}

// blockBytes is the size of the weights of a block.
func (l *matLayout) blockBytes() int { return 64 * l.bits }

func (l *matLayout) unitBytes() int {
	if l.form == Floats {
		return floatCols * MatRows * l.bits / 8
	}
	return l.scaleBytes() + 2*l.blockBytes()
}

func (l *matLayout) panelBytes(units int) int {
	n := units * l.unitBytes()
	if l.k {
		n += units / 4 * superBytes
	}
	return n
}
