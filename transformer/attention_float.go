package transformer

import (
	"math"

	"example.com/minillm/internal/simd"
	"example.com/minillm/kvcache"
)

// floatAttention reads rows of any format as float32 numbers. It serves the
// reference path, and is what faster ways are compared with.
type floatAttention struct {
	scale  float32
	scores []float32 // [queries of a unit][stretch]
	keys   []float32 // [headDim][kvcache.Group]
	value  []float32 // [headDim]
}

func newFloatAttention(c *config, queries int) floatAttention {
	return floatAttention{
		scale:  c.scale,
		scores: make([]float32, queries*stretch),
		keys:   make([]float32, kvcache.Group*c.headDim),
		value:  make([]float32, c.headDim),
	}
}

func (a *floatAttention) begin(*view) {}

func (a *floatAttention) stretch(v *view, s int, states []float32) {
	clear(states)
	lo, _ := v.sees(0, s)
	_, hi := v.sees(v.rows-1, s)
	if lo >= hi {
		return
	}
	a.score(v, s, lo, hi)
	a.soften(v, s, states)
	a.weigh(v, s, lo, hi, states)
}

// score multiplies the queries with the keys of positions [lo,hi), group by
// group, and beyond to the ends of groups.
func (a *floatAttention) score(v *view, s, lo, hi int) {
	for pos := lo / kvcache.Group * kvcache.Group; pos < hi; {
		span := v.kv.Span(v.layer, v.head, pos)
		n := min(span.N, hi-pos)
		for p := 0; p < n; p += kvcache.Group {
			a.scoreGroup(v, a.groupKeys(&span, p), pos+p-s*stretch)
		}
		pos += span.N
	}
}

func (a *floatAttention) scoreGroup(v *view, keys []float32, at int) {
	for i := range v.rows {
		for g := range v.group {
			to := a.scores[(i*v.group+g)*stretch+at:][:kvcache.Group]
			dotGroup((*[kvcache.Group]float32)(to), v.query(i, g), keys)
			simd.Scale(to, a.scale)
		}
	}
}

// dotGroup multiplies q with 16 transposed keys.
func dotGroup(to *[kvcache.Group]float32, q, keys []float32) {
	for j := 0; j < kvcache.Group; j += 4 {
		var s0, s1, s2, s3 float32
		for d, x := range q {
			k := (*[4]float32)(keys[d*kvcache.Group+j:])
			s0 += float32(x * k[0])
			s1 += float32(x * k[1])
			s2 += float32(x * k[2])
			s3 += float32(x * k[3])
		}
		to[j], to[j+1], to[j+2], to[j+3] = s0, s1, s2, s3
	}
}

// soften makes weights of scores: exponentials relative to the highest.
func (a *floatAttention) soften(v *view, s int, states []float32) {
	for i := range v.rows {
		lo, hi := v.sees(i, s)
		if lo >= hi {
			continue
		}
		for g := range v.group {
			k := i*v.group + g
			scores := a.scores[k*stretch:][lo-s*stretch : hi-s*stretch]
			top := simd.Max(scores)
			state := states[k*stateSize(v.headDim):]
			state[0], state[1] = top*math.Log2E, simd.ExpSum(scores, scores, top)
		}
	}
}

// weigh adds the values of positions [lo,hi) to the states of the queries that
// see them.
func (a *floatAttention) weigh(v *view, s, lo, hi int, states []float32) {
	for pos := lo / kvcache.Group * kvcache.Group; pos < hi; {
		span := v.kv.Span(v.layer, v.head, pos)
		for p := max(0, lo-pos); p < min(span.N, hi-pos); p++ {
			a.weighOne(v, a.valueRow(&span, p), s, pos+p, states)
		}
		pos += span.N
	}
}

func (a *floatAttention) weighOne(v *view, value []float32, s, pos int, states []float32) {
	for i := max(0, pos-v.pos); i < v.rows; i++ {
		if lo, hi := v.sees(i, s); pos < lo || pos >= hi {
			continue
		}
		for g := range v.group {
			k := i*v.group + g
			sum := states[k*stateSize(v.headDim)+2:][:v.headDim]
			simd.Axpy(sum, a.scores[k*stretch+pos-s*stretch], value)
		}
	}
}

// groupKeys is the group of keys that begins at position p of a span.
func (a *floatAttention) groupKeys(s *kvcache.Span, p int) []float32 {
	lo, hi := p*len(a.value), (p+kvcache.Group)*len(a.value)
	switch {
	case s.K32 != nil:
		return s.K32[lo:hi]
	case s.K != nil:
		simd.F16ToF32(a.keys, s.K[lo:hi])
	default:
		for i, b := range s.K8[lo:hi] {
			a.keys[i] = float32(b) * s.KS[p+i%kvcache.Group]
		}
	}
	return a.keys
}

func (a *floatAttention) valueRow(s *kvcache.Span, p int) []float32 {
	if s.V32 != nil {
		return s.V32[p*len(a.value) : (p+1)*len(a.value)]
	}
	s.Value(a.value, p)
	return a.value
}
