package main

import "example.com/minillm/transformer"

// cost is what a step must read and compute.
type cost struct {
	weights   float64 // bytes of all matrices
	products  work    // of them for a token
	output    work    // of those, for a row of logits
	position  float64 // bytes of one position's keys and values
	attention float64 // operations for one query and one position
}

// work is operations, each multiply-add counted twice.
type work struct{ bytes, floats float64 }

// add adds a product with a matrix.
func (w *work) add(m *transformer.Matrix) {
	n := 2 * float64(m.Rows) * float64(m.Cols)
	switch m.Layout {
	case "F32", "F16", "BF16":
		w.floats += n
	default:
		w.bytes += n
	}
}

func costOf(d *transformer.Description, position int) cost {
	c := cost{position: float64(position)}
	for i := range d.Matrices {
		m := &d.Matrices[i]
		c.weights += float64(m.Bytes)
		c.products.add(m)
		if m.Rows == d.Vocab {
			c.output.add(m)
		}
	}
	// A 16-bit multiply-add takes the room of two 8-bit ones.
	c.attention = 2 * 4 * float64(d.Layers*d.Heads*d.HeadDim)
	return c
}

// perToken completes a row with the bytes and operations that a token of a task needs.
func (c cost) perToken(t task, r *benchRow) {
	if t.gen == 0 {
		n := float64(t.prompt)
		steps := max(1, n/512)
		r.Bytes = steps * c.weights / n
		r.Operations = c.products.bytes - c.output.bytes + c.output.bytes/n + c.attention*n/2
		r.Floats = c.products.floats - c.output.floats + c.output.floats/n
		return
	}
	depth := float64(t.prompt) + float64(t.gen)/2
	r.Bytes = c.weights/float64(t.sequences) + c.position*depth
	r.Operations, r.Floats = c.products.bytes+c.attention*depth, c.products.floats
}
