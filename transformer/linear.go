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
	order
	*simd.Mat
}

// size is the bytes of the layout.
func (l *linear) size() int { return simd.MatBytes(l.layout, l.out, l.in) }

// place gives the layout its memory, of its size.
func (l *linear) place(memory []byte) { l.Mat = simd.NewMat(l.layout, l.out, l.in, memory) }

// fill lays out panels [p0,p1).
func (l *linear) fill(memory []byte, p0, p1 int) {
	if l.layout == l.src.Type && l.head == 0 {
		l.Pack(l.src.Data, p0, p1)
		return
	}
	n := panel * l.in
	b := panelBuffers{rows: make([]byte, panel*l.src.Type.RowBytes(l.in)), raw: make([]byte, 4*n), w: make([]float32, n)}
	for p := p0; p < p1; p++ {
		l.fillPanel(memory, p, b)
	}
}

// panelBuffers are the buffers of a panel's rows: in order, decoded, and as bytes again.
type panelBuffers struct {
	rows, raw []byte
	w         []float32
}

// fillPanel lays out a panel whose rows are not to be taken as they are. A panel is laid out like a matrix of so few
// rows, so that only they are in buffers at a time.
func (l *linear) fillPanel(memory []byte, p int, b panelBuffers) {
	n := l.width(p, p+1)
	rows := l.rows(b.rows, l.src.Data, p*panel, n, l.src.Type.RowBytes(l.in))
	if l.layout != l.src.Type {
		rows = b.decode(l.src.Type, rows, n*l.in)
	}
	size := simd.MatBytes(l.layout, panel, l.in)
	simd.NewMat(l.layout, n, l.in, memory[p*size:(p+1)*size]).Pack(rows, 0, 1)
}

// decode makes float32 of n values.
func (b panelBuffers) decode(t quant.Type, rows []byte, n int) []byte {
	quant.Dequantize(b.w[:n], t, rows)
	for i, x := range b.w[:n] {
		binary.LittleEndian.PutUint32(b.raw[4*i:], math.Float32bits(x))
	}
	return b.raw[:4*n]
}

// width is the number of outputs of panels [p0,p1): fewer where the last one
// is not full.
func (l *linear) width(p0, p1 int) int { return min(p1*panel, l.out) - p0*panel }
