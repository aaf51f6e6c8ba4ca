package main

import "fmt"

// A matFormat says how the weights of one packed layout lie; mat_format.go of package simd describes the layouts.
type matFormat struct {
	name string
	bits int  // of a weight: 4, 5, 6 or 8
	min  bool // value = scale*q + minimum, else scale*(q - half of the range)
	k    bool // scales are bytes under a scale of 256 values
	half bool // a scale for every 16 values
	wide bool // expanded for many rows: see matExpand
}

var matFormats = []matFormat{
	{name: "Q8", bits: 8},
	{name: "Q4", bits: 4},
	{name: "Q4Min", bits: 4, min: true},
	{name: "Q5", bits: 5},
	{name: "Q5Min", bits: 5, min: true},
	{name: "Q4K", bits: 4, min: true, k: true},
	{name: "Q5K", bits: 5, min: true, k: true},
	{name: "Q6K", bits: 6, k: true, half: true},
}

// matExpanded are the layouts that panels are expanded to for many rows: bytes with float32 scales.
var matExpanded = []matFormat{
	{name: "Wide", bits: 8, wide: true},
	{name: "WideMin", bits: 8, min: true, wide: true},
	{name: "WideHalf", bits: 8, half: true, wide: true},
}

// matHeights are the numbers of rows of activations that a kernel takes at once.
var matHeights = []int{8, 4, 2, 1}

// scaleBytes is the size of what stands before the weights of a pair of blocks, or of each expanded block.
func (f matFormat) scaleBytes() int {
	if f.wide || f.min && !f.k {
		return 128
	}
	return 64
}

// blockBytes is the size of the weights of one block: 32 columns of 16 rows.
func (f matFormat) blockBytes() int { return f.bits * 64 }

// second is the displacement of a block's minimums or second scales from its scales.
func (f matFormat) second() int {
	switch {
	case f.wide:
		return 64
	case f.half:
		return 16
	case f.k:
		return 32
	}
	return 64
}

// scaleStep is the displacement of the second block's scales from those of the first.
func (f matFormat) scaleStep() int {
	if f.k && !f.half {
		return 16
	}
	return 32
}

// A block of activations in a tile: 32 bytes for each row, then these fields, each for all rows.
const (
	actScale = iota // float32
	actSum          // float32: scale times the sum of the bytes
	actAll          // int32: -128 times the sum of the bytes
	actHalf         // int32: -128 times the sum of the first 16 bytes
	actBytes = 32 + 4*4
)

// actQuad is the displacement of four bytes of row r in a block of a tile.
func actQuad(r, quad int) int { return 32*r + 4*quad }

// actField is the displacement of a field of row r in a block of a tile.
func actField(rows, field, r int) int { return 32*rows + 4*(field*rows+r) }

// matLoop prints a function with code for each height of a tile: it loads the arguments and goes to the one asked for. A
// kernel multiplies each of some panels with some tiles.
//
//	DI dst  R8 its stride  SI, R12 weights  DX, R9 activations  R10 matCall  R13 distance to prefetch
//
// Strides, steps and distances are in bytes.
func matLoop(a *Asm, name string, heights []int, body func(rows int)) {
	a.Func(name, 8, "func "+name+"(c *matCall)")
	a.Op("MOVQ c+0(FP), R10")
	a.Op("MOVQ (R10), DI")
	a.Op("MOVQ 8(R10), R8")
	a.Op("MOVQ 16(R10), R12")
	a.Op("MOVQ 24(R10), R9")
	a.Op("MOVQ 56(R10), R13")
	a.Op("MOVQ 64(R10), DX")
	last := heights[len(heights)-1]
	for _, rows := range heights {
		if rows != last {
			a.Op("CMPQ DX, $%d", rows)
			a.Op("JNE %s", localLabel("not", rows))
		}
		a.Label(localLabel("product", rows))
		body(rows)
		matNext(a, localLabel("product", rows))
		a.Op("VZEROUPPER")
		a.Op("RET")
		if rows != last {
			a.Label(localLabel("not", rows))
		}
	}
}

// matNext goes on with the next tile, or the next panel and the first tile.
func matNext(a *Asm, product string) {
	a.Comment("next tile")
	a.Op("ADDQ 88(R10), DI")
	a.Op("ADDQ 96(R10), R9")
	a.Op("DECQ 80(R10)")
	a.Op("JNZ %s", product)
	a.Comment("next panel")
	a.Op("ADDQ $64, (R10)")
	a.Op("MOVQ (R10), DI")
	a.Op("ADDQ 48(R10), R12")
	a.Op("MOVQ 24(R10), R9")
	a.Op("MOVQ 72(R10), AX")
	a.Op("MOVQ AX, 80(R10)")
	a.Op("DECQ 40(R10)")
	a.Op("JNZ %s", product)
}

// matStart goes to the beginning of the panel and the tile.
func matStart(a *Asm) {
	a.Op("MOVQ R12, SI")
	a.Op("MOVQ R9, DX")
	a.Op("MOVQ 32(R10), CX")
}

// matUnits prints the loop over the units of quantised weights, with the code of a block twice: rolled, 512-bit kernels are up
// to 6 % slower. super prints what to do with the scales of 256 columns at SI.
//
//	CX units  BX scales of the block  SI its weights  DX its activations
func matUnits(a *Asm, f matFormat, rows int, super func(), block func(b int)) {
	loop, first := localLabel("unit", rows), localLabel("first", rows)
	a.Op("PCALIGN $64")
	a.Label(loop)
	if f.k {
		a.Op("TESTQ $3, CX")
		a.Op("JNZ %s", first)
		super()
		a.Op("ADDQ $64, SI")
		a.Label(first)
	}
	for b := range 2 {
		if b == 0 || f.wide {
			a.Op("MOVQ SI, BX")
			a.Op("ADDQ $%d, SI", f.scaleBytes())
		}
		block(b)
		matNextBlock(a, f, rows)
	}
	a.Op("DECQ CX")
	a.Op("JNZ %s", loop)
}

// matBlocks prints the same loop rolled. 256-bit kernels have twice the code, and gain nothing from four times.
func matBlocks(a *Asm, f matFormat, rows int, super, block func()) {
	loop, first, second := localLabel("block", rows), localLabel("first", rows), localLabel("second", rows)
	a.Op("ADDQ CX, CX")
	a.Op("PCALIGN $64")
	a.Label(loop)
	a.Op("TESTQ $1, CX")
	a.Op("JNZ %s", second)
	if f.k {
		a.Op("TESTQ $7, CX")
		a.Op("JNZ %s", first)
		super()
		a.Op("ADDQ $64, SI")
		a.Label(first)
	}
	a.Op("MOVQ SI, BX")
	a.Op("ADDQ $%d, SI", f.scaleBytes())
	a.Label(second)
	block()
	matNextBlock(a, f, rows)
	a.Op("DECQ CX")
	a.Op("JNZ %s", loop)
}

func matNextBlock(a *Asm, f matFormat, rows int) {
	a.Op("ADDQ $%d, BX", f.scaleStep())
	a.Op("ADDQ $%d, SI", f.blockBytes())
	a.Op("ADDQ $%d, DX", rows*actBytes)
}

func localLabel(name string, rows int) string { return fmt.Sprintf("%s%d", name, rows) }

func byteConst(b uint32) string { return fmt.Sprintf("matByte%02X", b) }

// powerConst names the power of two that undoes the shift of weights of so many bits to the full byte.
func powerConst(bits int) string { return fmt.Sprintf("matShift%d", 8-bits) }

// wordConst names a register of 16-bit numbers.
func wordConst(n uint32) string { return fmt.Sprintf("matWord%d", n) }

// repeat fills the 16 words of a register with w.
func repeat(w uint32) []uint32 {
	words := make([]uint32, 16)
	for i := range words {
		words[i] = w
	}
	return words
}
