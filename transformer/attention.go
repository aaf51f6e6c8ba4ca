package transformer

import (
	"math"

	"example.com/minillm/internal/quant"
	"example.com/minillm/kvcache"
)

// attention is one worker's room for causal attention of grouped queries over
// spans of keys and values.
//
// A state is what is known of a query after some positions: the highest score,
// the sum of exponentials relative to it, and the values weighted by these.
// Source: the online softmax of arXiv:1805.02867.
type attention struct {
	headDim, group int
	scale          float32

	scores []float32 // [queries of a unit][stretch]
	states []float32 // [queries of a unit][2+headDim]
	part   []float32 // [queries of a unit][2+headDim], of one stretch
	keys   []float32 // [headDim][kvcache.Group]
	value  []float32 // [headDim]
}

func newAttention(c *config) attention {
	group := c.heads / c.kvHeads
	queries := c.tileRows() * group
	return attention{
		headDim: c.headDim,
		group:   group,
		scale:   c.scale,
		scores:  make([]float32, queries*stretch),
		states:  make([]float32, queries*stateSize(c.headDim)),
		part:    make([]float32, queries*stateSize(c.headDim)),
		keys:    make([]float32, kvcache.Group*c.headDim),
		value:   make([]float32, c.headDim),
	}
}

// view is where the queries of a unit lie and what they see.
type view struct {
	kv          kvcache.KV
	layer, head int
	pos, rows   int       // of the first row; the number of rows
	window      int       // 0: all positions
	q           []float32 // first row's heads of the group, one after another
	qStride     int       // from row to row
	out         []float32 // likewise
	outStride   int
}

// sees is the range of positions that row i sees of those in stretch s; empty
// if lo >= hi.
func (v *view) sees(i, s int) (lo, hi int) {
	lo, hi = s*stretch, min((s+1)*stretch, v.pos+i+1)
	if v.window > 0 {
		lo = max(lo, v.pos+i+1-v.window)
	}
	return lo, hi
}

// whole computes stretches [s0,s1) and writes the results.
func (a *attention) whole(v *view, s0, s1 int) {
	n := v.rows * a.group * a.size()
	states, part := a.states[:n], a.part[:n]
	clear(states)
	for s := s0; s < s1; s++ {
		a.stretch(v, s, part)
		a.merge(states, part)
	}
	a.write(v, states)
}

// several computes stretches [s0,s1) and leaves their states in parts.
func (a *attention) several(v *view, s0, s1 int, parts []float32) {
	n := v.rows * a.group * a.size()
	for s := s0; s < s1; s++ {
		a.stretch(v, s, parts[:n])
		parts = parts[n:]
	}
}

// join merges the states that several left of stretches [s0,s1), and writes
// the results.
func (a *attention) join(v *view, s0, s1 int, parts []float32) {
	n := v.rows * a.group * a.size()
	states := a.states[:n]
	clear(states)
	for range s1 - s0 {
		a.merge(states, parts[:n])
		parts = parts[n:]
	}
	a.write(v, states)
}

// stateSize is the length of a state.
func stateSize(headDim int) int { return 2 + headDim }

func (a *attention) size() int { return stateSize(a.headDim) }

// stretch computes the states of a unit's queries over one stretch.
func (a *attention) stretch(v *view, s int, states []float32) {
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
func (a *attention) score(v *view, s, lo, hi int) {
	for pos := lo / kvcache.Group * kvcache.Group; pos < hi; {
		span := v.kv.Span(v.layer, v.head, pos)
		n := min(span.N, hi-pos)
		for p := 0; p < n; p += kvcache.Group {
			a.scoreGroup(v, a.groupKeys(&span, p), pos+p-s*stretch)
		}
		pos += span.N
	}
}

func (a *attention) scoreGroup(v *view, keys []float32, at int) {
	for i := range v.rows {
		for g := range a.group {
			q := v.q[i*v.qStride+g*a.headDim:][:a.headDim]
			to := a.scores[(i*a.group+g)*stretch+at:][:kvcache.Group]
			dotGroup((*[kvcache.Group]float32)(to), q, keys)
			for j := range to {
				to[j] *= a.scale
			}
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

// soften makes weights of scores.
func (a *attention) soften(v *view, s int, states []float32) {
	for i := range v.rows {
		lo, hi := v.sees(i, s)
		if lo >= hi {
			continue
		}
		for g := range a.group {
			k := i*a.group + g
			scores := a.scores[k*stretch:][lo-s*stretch : hi-s*stretch]
			states[k*a.size()], states[k*a.size()+1] = exponentials(scores)
		}
	}
}

// exponentials replaces scores by their exponentials relative to the highest,
// and returns that and their sum.
func exponentials(scores []float32) (top, sum float32) {
	top = scores[0]
	for _, x := range scores {
		top = max(top, x)
	}
	for i, x := range scores {
		scores[i] = exp(x - top)
		sum += scores[i]
	}
	return top, sum
}

func exp(x float32) float32 { return float32(math.Exp(float64(x))) }

// weigh adds the values of positions [lo,hi) to the states of the queries that
// see them.
func (a *attention) weigh(v *view, s, lo, hi int, states []float32) {
	for pos := lo / kvcache.Group * kvcache.Group; pos < hi; {
		span := v.kv.Span(v.layer, v.head, pos)
		for p := max(0, lo-pos); p < min(span.N, hi-pos); p++ {
			a.weighOne(v, a.valueRow(&span, p), s, pos+p, states)
		}
		pos += span.N
	}
}

func (a *attention) weighOne(v *view, value []float32, s, pos int, states []float32) {
	for i := max(0, pos-v.pos); i < v.rows; i++ {
		if lo, hi := v.sees(i, s); pos < lo || pos >= hi {
			continue
		}
		for g := range a.group {
			k := i*a.group + g
			w := a.scores[k*stretch+pos-s*stretch]
			sum := states[k*a.size()+2:][:a.headDim]
			for d, x := range value[:len(sum)] {
				sum[d] += float32(w * x)
			}
		}
	}
}

// merge takes the states of the next stretch into those of the ones before. A
// sum of zero means that a query has seen nothing yet.
func (a *attention) merge(states, part []float32) {
	for size := a.size(); len(states) > 0; states, part = states[size:], part[size:] {
		mergeState(states[:size], part[:size])
	}
}

func mergeState(state, part []float32) {
	switch {
	case part[1] == 0:
	case state[1] == 0:
		copy(state, part)
	default:
		top := max(state[0], part[0])
		u, w := exp(state[0]-top), exp(part[0]-top)
		state[0] = top
		for i, x := range part[1:] {
			state[i+1] = float32(state[i+1]*u) + float32(x*w)
		}
	}
}

// write stores the weighted means that the states have come to.
func (a *attention) write(v *view, states []float32) {
	for i := range v.rows {
		for g := range a.group {
			state := states[(i*a.group+g)*a.size():][:a.size()]
			out := v.out[i*v.outStride+g*a.headDim:][:a.headDim]
			for d := range out {
				out[d] = state[2+d] / state[1]
			}
		}
	}
}

// groupKeys is the group of keys that begins at position p of a span.
func (a *attention) groupKeys(s *kvcache.Span, p int) []float32 {
	lo, hi := p*a.headDim, (p+kvcache.Group)*a.headDim
	switch {
	case s.K32 != nil:
		return s.K32[lo:hi]
	case s.K != nil:
		for i, h := range s.K[lo:hi] {
			a.keys[i] = quant.F16ToF32(h)
		}
	default:
		for i, b := range s.K8[lo:hi] {
			a.keys[i] = float32(b) * s.KS[p+i%kvcache.Group]
		}
	}
	return a.keys
}

func (a *attention) valueRow(s *kvcache.Span, p int) []float32 {
	lo, hi := p*a.headDim, (p+1)*a.headDim
	switch {
	case s.V32 != nil:
		return s.V32[lo:hi]
	case s.V != nil:
		for i, h := range s.V[lo:hi] {
			a.value[i] = quant.F16ToF32(h)
		}
	default:
		for i, b := range s.V8[lo:hi] {
			a.value[i] = float32(b) * s.VS[p]
		}
	}
	return a.value
}
