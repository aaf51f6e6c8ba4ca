package transformer

import (
	"math"

	"example.com/minillm/internal/simd"
	"example.com/minillm/kvcache"
)

// floatAttention reads float32 rows, in the plainest way. It serves the
// reference path.
type floatAttention struct {
	scale   float32
	weights []float32 // [queries of a unit][stretch]; at first they are scores
}

func newFloatAttention(c *config, queries int) floatAttention {
	return floatAttention{scale: c.scale, weights: make([]float32, queries*stretch)}
}

func (a *floatAttention) begin(*view) {}

func (a *floatAttention) stretch(v *view, s int, states []float32) {
	clear(states)
	lo, _ := v.sees(0, s)
	_, hi := v.sees(v.rows-1, s)
	for pos := lo; pos < hi; pos++ {
		key, _ := v.row(pos)
		a.score(v, s, pos, key)
	}
	a.soften(v, s, states)
	for pos := lo; pos < hi; pos++ {
		_, value := v.row(pos)
		a.weigh(v, s, pos, value, states)
	}
}

// row is the key and the value of a position.
func (v *view) row(pos int) (key, value []float32) {
	p := pos % kvcache.Group
	span := v.kv.Span(v.layer, v.head, pos-p)
	return row(span.K32, p, v.headDim), row(span.V32, p, v.headDim)
}

// queries calls f for every query that sees a position of stretch s; k is the
// number of the query.
func (v *view) queries(s, pos int, f func(k int, q []float32)) {
	for i := max(0, pos-v.pos); i < v.rows; i++ {
		if lo, hi := v.sees(i, s); pos < lo || pos >= hi {
			continue
		}
		for g := range v.group {
			f(i*v.group+g, v.query(i, g))
		}
	}
}

func (a *floatAttention) score(v *view, s, pos int, key []float32) {
	v.queries(s, pos, func(k int, q []float32) {
		a.weights[k*stretch+pos-s*stretch] = simd.Dot(q, key) * a.scale
	})
}

// soften makes weights of scores: exponentials relative to the highest.
func (a *floatAttention) soften(v *view, s int, states []float32) {
	for i := range v.rows {
		lo, hi := v.sees(i, s)
		if lo >= hi {
			continue
		}
		for k := i * v.group; k < (i+1)*v.group; k++ {
			scores := a.weights[k*stretch:][lo-s*stretch : hi-s*stretch]
			top := simd.Max(scores)
			state := states[k*stateSize(v.headDim):]
			state[0], state[1] = top*math.Log2E, simd.ExpSum(scores, scores, top)
		}
	}
}

// weigh adds a value to the states of the queries that see it.
func (a *floatAttention) weigh(v *view, s, pos int, value, states []float32) {
	v.queries(s, pos, func(k int, _ []float32) {
		sum := states[k*stateSize(v.headDim)+2:][:v.headDim]
		simd.Axpy(sum, a.weights[k*stretch+pos-s*stretch], value)
	})
}
