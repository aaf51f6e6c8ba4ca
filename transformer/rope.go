package transformer

import "math"

// rope is rotary position embedding: pair i of a head is turned by position
// times a frequency that falls with i. Source: arXiv:2104.09864.
type rope struct {
	interleaved bool      // a pair is two neighbours, not the same number of both halves
	freqs       []float32 // [headDim/2], radians a position

	cos, sin []float32 // [rows of a pass][headDim/2]
}

// newRope divides each frequency by its factor, where a file has factors.
func newRope(c *config, base, factor float64, factors []float32) *rope {
	half := c.headDim / 2
	r := &rope{
		interleaved: c.interleaved,
		freqs:       make([]float32, half),
		cos:         make([]float32, maxRows*half),
		sin:         make([]float32, maxRows*half),
	}
	for i := range r.freqs {
		f := math.Pow(base, -float64(2*i)/float64(c.headDim)) / factor
		if factors != nil {
			f /= float64(factors[i])
		}
		r.freqs[i] = float32(f)
	}
	return r
}

// prepare computes the angles of a row, once for all layers. The product is
// rounded to float32, as it was when the networks were trained.
func (r *rope) prepare(row, pos int) {
	cos, sin := r.angles(row)
	for i, f := range r.freqs {
		s, c := math.Sincos(float64(float32(pos) * f))
		cos[i], sin[i] = float32(c), float32(s)
	}
}

func (r *rope) angles(row int) (cos, sin []float32) {
	half := len(r.freqs)
	lo, hi := row*half, (row+1)*half
	return r.cos[lo:hi], r.sin[lo:hi]
}

// turn rotates every head of heads [n][headDim], which belongs to row.
func (r *rope) turn(heads []float32, row int) {
	cos, sin := r.angles(row)
	size := 2 * len(cos)
	for ; len(heads) > 0; heads = heads[size:] {
		if head := heads[:size]; r.interleaved {
			turnNeighbours(head, cos, sin)
		} else {
			turnHalves(head, cos, sin)
		}
	}
}

func turnNeighbours(head, cos, sin []float32) {
	for i, c := range cos {
		s := sin[i]
		pair := head[2*i : 2*i+2 : 2*i+2]
		a, b := pair[0], pair[1]
		pair[0] = float32(a*c) - float32(b*s)
		pair[1] = float32(a*s) + float32(b*c)
	}
}

func turnHalves(head, cos, sin []float32) {
	low, high := head[:len(cos)], head[len(cos):]
	high, sin = high[:len(low)], sin[:len(low)]
	for i, c := range cos[:len(low)] {
		s := sin[i]
		a, b := low[i], high[i]
		low[i] = float32(a*c) - float32(b*s)
		high[i] = float32(a*s) + float32(b*c)
	}
}
