package transformer

import (
	"example.com/minillm/internal/par"
	"example.com/minillm/internal/simd"
)

// lane is one worker's way through a pass. Steps that work row by row (norms,
// sums, rotations) take the worker's own rows. Products take all rows and the
// worker's own outputs, so that each weight is read once; where there are many
// rows, the own rows and all outputs, so that nobody waits for the others.
type lane struct {
	*par.Worker
	*pass
	m *Model

	*stage
	at     []int32 // where in x and att its rows are
	byRow  bool    // products are divided by rows
	r0, r1 int     // the own rows

	row      []float32 // [dim]
	gate, up tile
	look     attention
}

// many is the number of rows for each worker from which products are divided
// by rows.
const many = 32

// begin takes the rows of a new pass.
func (l *lane) begin(w *par.Worker) {
	l.Worker = w
	l.enter(allRows, l.all[:l.rows])
}

// enter goes on with a stage's rows.
func (l *lane) enter(stage int, at []int32) {
	l.stage = &l.stages[stage]
	l.at = at
	l.byRow = len(at) >= many*l.N
	l.r0, l.r1 = l.Share(len(at), l.grain())
}

// grain is in whose multiples rows are shared.
func (l *lane) grain() int {
	if l.byRow {
		return simd.TileRows
	}
	return 1
}

// settle waits until the others have what the next step reads of theirs:
// between steps by row and products that are divided by outputs.
func (l *lane) settle() {
	if !l.byRow {
		l.Barrier()
	}
}

// part is this worker's part of a product with some panels of outputs.
func (l *lane) part(panels int) (r0, r1, p0, p1 int) {
	if l.byRow {
		return l.r0, l.r1, 0, panels
	}
	p0, p1 = l.Share(panels, 1)
	return 0, len(l.at), p0, p1
}

// row is row r of a matrix with rows of n numbers.
func row(x []float32, r, n int) []float32 { return x[r*n : (r+1)*n] }

// norm makes the activations that the next product reads of x.
func (l *lane) norm(weight []float32) {
	c := &l.m.config
	for r := l.r0; r < l.r1; r++ {
		simd.RMSNorm(l.row, row(l.x, int(l.at[r]), c.dim), weight, c.eps)
		set(&l.normed, r, l.row)
	}
	l.settle()
}

// project multiplies activations with matrices, whose results lie one after
// another in the rows of dst.
func (l *lane) project(dst []float32, a *simd.Act, matrices ...*linear) {
	panels, stride := 0, 0
	for _, m := range matrices {
		panels += m.Panels()
		stride += m.out
	}
	r0, r1, p0, p1 := l.part(panels)
	for _, m := range matrices {
		if lo, hi := max(p0, 0), min(p1, m.Panels()); lo < hi {
			m.Mul(dst[r0*stride+lo*panel:], stride, a, r0, r1, lo, hi)
		}
		p0, p1 = p0-m.Panels(), p1-m.Panels()
		dst = dst[m.out:]
	}
	l.settle()
}

// add adds what a sublayer gave to x, after a norm where there is one.
func (l *lane) add(bias, norm []float32) {
	c := &l.m.config
	for r := l.r0; r < l.r1; r++ {
		y := row(l.y, r, c.dim)
		if bias != nil {
			simd.Add(y, bias)
		}
		if norm != nil {
			simd.RMSNorm(y, y, norm, c.eps)
		}
		simd.Add(row(l.x, int(l.at[r]), c.dim), y)
	}
}
