package transformer

import "example.com/minillm/internal/simd"

// acts is rows of activations as products read them: quantised to 8 bits for
// packed matrices, in float32 for the others.
type acts struct {
	n      int // length of a row
	bytes  bool
	packed simd.Act
	floats []float32 // [rows][n], nil if no matrix reads them
}

// newActs makes room for rows of n numbers, in the forms that matrices want.
func newActs(rows, n int, bytes, floats bool) acts {
	a := acts{n: n, bytes: bytes}
	if bytes {
		a.packed = *simd.NewAct(rows, n, simd.Bytes)
	}
	if floats {
		a.floats = make([]float32, rows*n)
	}
	return a
}

// reset says how many rows there are. It forgets them.
func (a *acts) reset(rows int) {
	if a.bytes {
		a.packed.Reset(rows, a.n)
	}
}

// set makes row r of x.
func (a *acts) set(r int, x []float32) {
	if a.bytes {
		a.packed.Set(x, 0, r, r+1)
	}
	if a.floats != nil {
		copy(row(a.floats, r, a.n), x)
	}
}

// stage is the activations while so many rows are computed: at first all, in
// the end those whose results are wanted. Stages share their memory.
type stage struct {
	normed acts // [dim], of x
	mixed  acts // [heads*headDim], of att
	gated  acts // [ffn], of hidden
}

func (s *stage) reset(rows int) {
	s.normed.reset(rows)
	s.mixed.reset(rows)
	s.gated.reset(rows)
}
