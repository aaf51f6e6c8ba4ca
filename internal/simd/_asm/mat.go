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

// scaleBytes is the size of what stands before the weights of a pair of blocks.
func (f matFormat) scaleBytes() int {
	if f.wide {
		return 256
	}
	if f.min && !f.k {
		return 128
	}
	return 64
}

// blockBytes is the size of the weights of one block: 32 columns of 16 rows.
func (f matFormat) blockBytes() int { return f.bits * 64 }

func (f matFormat) pairBytes() int { return f.scaleBytes() + 2*f.blockBytes() }

// A block of activations in a tile: 32 bytes for each row, then these fields, each for all rows.
const (
	actScale = iota // float32
	actSum          // float32: scale times the sum of the bytes
	actAll          // int32: -128 times the sum of the bytes
	actHalf         // int32: -128 times the sum of the first 16 bytes
	actBytes = 32 + 4*4
)

// actBias is the distance of DX from the activations of the pair at hand. With it EVEX displacements fit a byte.
const actBias = 512

// actQuad is the displacement from DX of four bytes of row r in block b of a pair.
func actQuad(rows, b, r, quad int) int { return b*rows*actBytes + 32*r + 4*quad - actBias }

// actField is the displacement from DX of a field of row r in block b of a pair.
func actField(rows, b, field, r int) int {
	return b*rows*actBytes + 32*rows + 4*(field*rows+r) - actBias
}

// matLoop prints a function with code for each height of a tile: it loads the arguments and goes to the one asked for. A
// kernel computes count products of a tile with a panel; from one to the next it steps through weights (many panels, one
// tile) or activations (many tiles, one panel).
//
//	DI dst  R8 its stride  SI, R12 weights  DX, R9 activations  CX units  R10 matCall  R13 distance to prefetch
//
// Strides, steps and distances are in bytes.
func matLoop(a *Asm, name string, heights []int, body func(rows int)) {
	a.Func(name, 8, "func "+name+"(c *matCall)")
	a.Op("MOVQ c+0(FP), R10")
	a.Op("MOVQ (R10), DI")
	a.Op("MOVQ 8(R10), R8")
	a.Op("MOVQ 16(R10), R12")
	a.Op("MOVQ 24(R10), R9")
	a.Op("MOVQ 48(R10), R13")
	a.Op("MOVQ 56(R10), DX")
	last := heights[len(heights)-1]
	for _, rows := range heights {
		if rows != last {
			a.Op("CMPQ DX, $%d", rows)
			a.Op("JNE %s", localLabel("not", rows))
		}
		a.Label(localLabel("product", rows))
		body(rows)
		a.Op("ADDQ 64(R10), DI")
		a.Op("ADDQ 72(R10), R12")
		a.Op("ADDQ 80(R10), R9")
		a.Op("DECQ 40(R10)")
		a.Op("JNZ %s", localLabel("product", rows))
		a.Op("VZEROUPPER")
		a.Op("RET")
		if rows != last {
			a.Label(localLabel("not", rows))
		}
	}
}

// matStart goes to the beginning of the panel and the tile.
func matStart(a *Asm) {
	a.Op("MOVQ R12, SI")
	a.Op("LEAQ %d(R9), DX", actBias)
	a.Op("MOVQ 32(R10), CX")
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
