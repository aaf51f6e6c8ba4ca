package transformer

import (
	"unsafe"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/simd"
)

// panel is the number of outputs whose weights lie together. A product is
// computed panel by panel, each output as one sum in ascending order of
// inputs: so its bits depend neither on the other rows nor on who computes it.
const panel = simd.MatRows

// rowBlock is how many rows meet a panel before the next one is fetched.
const rowBlock = 64

// linear is a weight matrix, [out][in] in the file, laid out for its product
// with rows of activations: packed, in the number format of the file, or in
// float32.
type linear struct {
	in, out int
	src     gguf.Tensor

	packed *simd.Mat // nil: floats are used
	floats []float32 // [out/panel, rounded up][in][panel]
}

func (l *linear) panels() int { return (l.out + panel - 1) / panel }

// width is the number of outputs of panels [p0,p1): fewer where the last one
// is not full.
func (l *linear) width(p0, p1 int) int { return min(p1*panel, l.out) - p0*panel }

// packs reports whether there is a packed layout for the matrix.
func (l *linear) packs() bool { return l.src.Type.BlockSize() > 1 }

// size is the bytes of its layout.
func (l *linear) size(reference bool) int {
	if reference || !l.packs() {
		return 4 * l.panels() * l.in * panel
	}
	return simd.MatBytes(l.src.Type, l.out, l.in)
}

// place gives the layout its memory, of its size.
func (l *linear) place(memory []byte, reference bool) {
	if reference || !l.packs() {
		l.floats = unsafe.Slice((*float32)(unsafe.Pointer(&memory[0])), len(memory)/4)
	} else {
		l.packed = simd.NewMat(l.src.Type, l.out, l.in, memory)
	}
}

// fill lays out panels [p0,p1); row is room for one row of inputs.
func (l *linear) fill(p0, p1 int, row []float32) {
	if l.packed != nil {
		l.packed.Pack(l.src.Data, p0, p1)
		return
	}
	bytes := l.src.Type.RowBytes(l.in)
	for o := p0 * panel; o < min(p1*panel, l.out); o++ {
		quant.Dequantize(row[:l.in], l.src.Type, l.src.Data[o*bytes:(o+1)*bytes])
		dst := l.floats[o/panel*panel*l.in+o%panel:]
		for i, w := range row[:l.in] {
			dst[i*panel] = w
		}
	}
}

// mul multiplies rows [r0,r1) with panels [p0,p1): the result of row r lies in
// dst from (r-r0)*stride on, its first number being output p0*panel. Rows are
// whole tiles, see simd.Mat.
func (l *linear) mul(dst []float32, stride int, a *acts, r0, r1, p0, p1 int) {
	if l.packed != nil {
		l.packed.Mul(dst, stride, &a.packed, r0, r1, p0, p1)
		return
	}
	for r := r0; r < r1; r += rowBlock {
		for p := p0; p < p1; p++ {
			weights := l.floats[p*panel*l.in : (p+1)*panel*l.in]
			at := (r-r0)*stride + (p-p0)*panel
			mulPanel(dst[at:], stride, a.floats[r*a.n:min(r+rowBlock, r1)*a.n], weights, l.in, l.width(p, p+1))
		}
	}
}
