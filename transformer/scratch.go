package transformer

import "example.com/minillm/internal/simd"

// maxRows is the most tokens that go through the network together; a longer
// batch is computed in slices of so many.
const maxRows = 512

// mostParts is how many states of attention can wait to be merged.
const mostParts = 4096

// newPass makes the buffers of a pass, with activations in the forms that
// matrices read. None grows later.
func newPass(c *config, forms simd.Form) pass {
	qkv := c.queries() + 2*c.keys()
	p := pass{
		tokens: make([]int32, maxRows),
		pieces: make([]piece, 0, maxRows),
		all:    make([]int32, maxRows),
		kept:   make([]int32, 0, maxRows),
		states: make([][]float32, 0, maxRows),
		scored: make([]int32, 0, maxRows),
		logits: make([][]float32, 0, maxRows),

		x:   make([]float32, maxRows*c.dim),
		qkv: make([]float32, maxRows*qkv),
		att: make([]float32, maxRows*c.queries()),
		y:   make([]float32, maxRows*c.dim),

		hidden: make([]float32, maxRows*c.ffn),
		parts:  make([]float32, mostParts*stateSize(c.headDim)),
	}
	for i := range p.all {
		p.all[i] = int32(i)
	}
	s := newStage(c, maxRows, forms)
	p.stages = [...]stage{s, s, s} // in the same memory
	p.plans[local].window = c.window
	return p
}

// newLanes makes what each of n workers needs for itself.
func (m *Model) newLanes(n int, forms simd.Form) []lane {
	lanes := make([]lane, n)
	for i := range lanes {
		lanes[i] = lane{
			m:    m,
			pass: &m.pass,
			gate: newTile(),
			up:   newTile(),
			own:  newStage(&m.config, few, forms),
			ownX: make([]float32, few*m.config.dim),
			row:  make([]float32, m.config.dim),
			look: newAttention(&m.config),
		}
	}
	return lanes
}
