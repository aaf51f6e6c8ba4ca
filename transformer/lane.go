package transformer

import (
	"example.com/minillm/internal/par"
	"example.com/minillm/internal/simd"
)

// lane is one worker's way through a pass. Steps that work row by row (norms,
// sums) are divided by rows, products by outputs, so that each weight is read
// once. Where there are many rows, products are divided by rows as well: nobody
// waits for the others. Where there are few, every worker takes the steps by row
// for all rows, in memory of its own, rather than wait for the others to do a
// part of so little.
type lane struct {
	*par.Worker
	*pass
	m *Model

	*stage
	at     []int32 // where in x and att its rows are
	split  split
	r0, r1 int       // rows of the steps by row
	x      []float32 // [rows][dim], the residual stream: that of the pass, or ownX

	own      stage     // activations of few rows
	ownX     []float32 // [few][dim]
	row      []float32 // [dim]
	gate, up tile
	look     attention
}

// split is how work is divided among workers.
type split uint8

const (
	byOutput split = iota // steps by row: by rows; products: by outputs
	byRow                 // everything: by rows
	repeated              // steps by row: everybody does all; products: by outputs
)

const (
	few  = 4  // rows of a pass up to which the steps by row are repeated
	many = 32 // rows for each worker from which products are divided by rows
)

// begin takes the rows of a new pass.
func (l *lane) begin(w *par.Worker) {
	l.Worker = w
	l.split, l.x = byOutput, l.pass.x
	if l.rows <= few {
		l.split, l.x = repeated, l.ownX
	}
	l.enter(allRows, l.all[:l.rows])
}

// enter goes on with a stage's rows.
func (l *lane) enter(stage int, at []int32) {
	l.at = at
	if l.split == repeated {
		l.stage = &l.own
		l.own.reset(len(at), &l.m.config)
		l.r0, l.r1 = 0, len(at)
		return
	}
	l.stage = &l.stages[stage]
	l.split = byOutput
	if len(at) >= many*l.N {
		l.split = byRow
	}
	l.r0, l.r1 = l.share()
}

// share is this worker's part of the rows: whole tiles, where products need
// them.
func (l *lane) share() (r0, r1 int) {
	if l.split == byRow {
		return l.Share(len(l.at), simd.TileRows)
	}
	return l.Share(len(l.at), 1)
}

// gathered waits until the rows that a product reads are there.
func (l *lane) gathered() {
	if l.split == byOutput {
		l.Barrier()
	}
}

// multiplied waits until the results of a product are there.
func (l *lane) multiplied() {
	if l.split != byRow {
		l.Barrier()
	}
}

// part is this worker's part of a product with some panels of outputs.
func (l *lane) part(panels int) (r0, r1, p0, p1 int) {
	if l.split == byRow {
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
	l.gathered()
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
	l.multiplied()
}

// add adds what a sublayer gave to x, after a norm where there is one.
func (l *lane) add(bias, norm []float32) {
	c := &l.m.config
	for r := l.r0; r < l.r1; r++ {
		copy(l.row, row(l.y, r, c.dim)) // others may read y
		if bias != nil {
			simd.Add(l.row, bias)
		}
		if norm != nil {
			simd.RMSNorm(l.row, l.row, norm, c.eps)
		}
		simd.Add(row(l.x, int(l.at[r]), c.dim), l.row)
	}
}
