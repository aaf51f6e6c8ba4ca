package transformer

import (
	"math"

	"example.com/minillm/internal/simd"
)

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
	if r.interleaved {
		simd.RotatePairs(heads, cos, sin)
	} else {
		simd.RotateHalves(heads, cos, sin)
	}
}
