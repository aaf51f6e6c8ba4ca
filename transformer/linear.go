package transformer

import (
	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
)

// panel is the number of outputs whose weights lie together. A product is
// computed panel by panel, each output as one sum in ascending order of
// inputs: so its bits depend neither on the other rows nor on who computes it.
const panel = 16

// linear is a weight matrix, [out][in] in the file, laid out for its product.
type linear struct {
	in, out int
	src     gguf.Tensor

	f []float32 // [out/panel, rounded up][in][panel]
}

func (l *linear) panels() int { return (l.out + panel - 1) / panel }

// width is the number of outputs of panels [p0,p1): fewer where the last one
// is not full.
func (l *linear) width(p0, p1 int) int { return min(p1*panel, l.out) - p0*panel }

// reserve makes room for the weights.
func (l *linear) reserve() {
	l.f = make([]float32, l.panels()*l.in*panel)
}

// fill lays out panels [p0,p1) of the weights; row is room for one.
func (l *linear) fill(p0, p1 int, row []float32) {
	row = row[:l.in]
	bytes := l.src.Type.RowBytes(l.in)
	for o := p0 * panel; o < min(p1*panel, l.out); o++ {
		quant.Dequantize(row, l.src.Type, l.src.Data[o*bytes:(o+1)*bytes])
		dst := l.f[o/panel*panel*l.in+o%panel:]
		for i, w := range row {
			dst[i*panel] = w
		}
	}
}

// mul writes the product of rows [r0,r1) of a and panels [p0,p1): the result
// of row r lies in dst from (r-r0)*stride on, its first number being output
// p0*panel.
func (l *linear) mul(dst []float32, stride int, a *acts, r0, r1, p0, p1 int) {
	for r := r0; r < r1; r += rowBlock {
		for p := p0; p < p1; p++ {
			weights := l.f[p*panel*l.in : (p+1)*panel*l.in]
			at := (r-r0)*stride + (p-p0)*panel
			mulPanel(dst[at:], stride, a.f[r*a.n:min(r+rowBlock, r1)*a.n], weights, l.in, l.width(p, p+1))
		}
	}
}

// rowBlock is how many rows meet a panel before the next one is fetched.
const rowBlock = 64

// acts is the rows that a product reads.
type acts struct {
	n int       // length of a row
	f []float32 // [rows][n]
}

func newActs(rows, n int) acts { return acts{n: n, f: make([]float32, rows*n)} }

// row is where row r lies.
func (a *acts) row(r int) []float32 { return a.f[r*a.n : (r+1)*a.n] }
