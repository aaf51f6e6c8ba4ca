package transformer

import (
	"encoding/binary"
	"math"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/simd"
)

// panel is the number of outputs whose weights lie together, the unit in which
// outputs are shared out.
const panel = simd.MatRows

// linear is a weight matrix, [out][in] in the file, laid out for its product
// with rows of activations.
type linear struct {
	in, out int
	src     gguf.Tensor
	layout  quant.Type // the number format of the layout
	*simd.Mat
}

// size is the bytes of the layout.
func (l *linear) size() int { return simd.MatBytes(l.layout, l.out, l.in) }

// place gives the layout its memory, of its size.
func (l *linear) place(memory []byte) { l.Mat = simd.NewMat(l.layout, l.out, l.in, memory) }

// fill lays out panels [p0,p1).
func (l *linear) fill(memory []byte, p0, p1 int) {
	if l.layout == l.src.Type {
		l.Pack(l.src.Data, p0, p1)
		return
	}
	w := make([]float32, panel*l.in)
	raw := make([]byte, 4*len(w))
	for p := p0; p < p1; p++ {
		l.fillDecoded(memory, p, w, raw)
	}
}

// fillDecoded lays out a panel in float32. A panel is laid out like a matrix of
// so few rows, so that only they have to be decoded at a time.
func (l *linear) fillDecoded(memory []byte, p int, w []float32, raw []byte) {
	first, rows := p*panel, l.width(p, p+1)
	bytes, size := l.src.Type.RowBytes(l.in), simd.MatBytes(quant.F32, panel, l.in)
	w, raw = w[:rows*l.in], raw[:4*rows*l.in]
	quant.Dequantize(w, l.src.Type, l.src.Data[first*bytes:(first+rows)*bytes])
	for i, x := range w {
		binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(x))
	}
	simd.NewMat(quant.F32, rows, l.in, memory[p*size:(p+1)*size]).Pack(raw, 0, 1)
}

// width is the number of outputs of panels [p0,p1): fewer where the last one
// is not full.
func (l *linear) width(p0, p1 int) int { return min(p1*panel, l.out) - p0*panel }
