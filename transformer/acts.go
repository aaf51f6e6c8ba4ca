package transformer

import "example.com/minillm/internal/simd"

// stage is the activations that products read while so many rows are computed:
// at first all of a pass, in the end those whose results are wanted.
type stage struct {
	normed simd.Act // [rows][dim], of x
	mixed  simd.Act // [rows][heads*headDim], of att
	gated  simd.Act // [rows][ffn], of hidden
}

// newStages makes room for maxRows rows in the forms that matrices read. All
// stages of a pass use the same.
func newStages(c *config, forms simd.Form) (all [3]stage) {
	s := stage{
		normed: *simd.NewAct(maxRows, c.dim, forms),
		mixed:  *simd.NewAct(maxRows, c.queries(), forms),
		gated:  *simd.NewAct(maxRows, c.ffn, forms),
	}
	return [...]stage{s, s, s}
}

func (s *stage) reset(rows int, c *config) {
	s.normed.Reset(rows, c.dim)
	s.mixed.Reset(rows, c.queries())
	s.gated.Reset(rows, c.ffn)
}

// set makes row r of a of x.
func set(a *simd.Act, r int, x []float32) { a.Set(x, 0, r, r+1) }
