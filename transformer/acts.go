package transformer

import "example.com/minillm/internal/simd"

// stage is the activations that products read while so many rows are computed:
// at first all of a pass, in the end those whose results are wanted.
type stage struct {
	normed simd.Act // [rows][dim], of x
	mixed  simd.Act // [rows][heads*headDim], of att
	gated  simd.Act // [rows][ffn], of hidden
}

// newStage makes room for rows in the forms that matrices read.
func newStage(c *config, rows int, forms simd.Form) stage {
	return stage{
		normed: *simd.NewAct(rows, c.dim, forms),
		mixed:  *simd.NewAct(rows, c.queries(), forms),
		gated:  *simd.NewAct(rows, c.ffn, forms),
	}
}

func (s *stage) reset(rows int, c *config) {
	s.normed.Reset(rows, c.dim)
	s.mixed.Reset(rows, c.queries())
	s.gated.Reset(rows, c.ffn)
}

// set makes row r of a of x.
func set(a *simd.Act, r int, x []float32) { a.Set(x, 0, r, r+1) }
