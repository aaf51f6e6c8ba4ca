package transformer

import (
	"example.com/minillm/internal/simd"
	"example.com/minillm/kvcache"
)

// attention is one worker's room for causal attention of grouped queries over
// spans of keys and values.
//
// What is known of a query after some positions is its state: the highest
// score in units of log2(e), the sum of powers of two relative to it, and the
// values weighted by these. Source: the online softmax of arXiv:1805.02867.
type attention struct {
	group  int       // queries that share a key/value head
	states []float32 // [queries of a unit][2+headDim]
	part   []float32 // likewise, of one stretch
	view   view      // of the unit at hand
	ints   intAttention
	floats floatAttention
}

// scorer computes the states of queries over one stretch.
type scorer interface {
	begin(v *view)
	stretch(v *view, s int, states []float32)
}

func newAttention(c *config) attention {
	group := c.heads / c.kvHeads
	queries := c.tileRows() * group
	return attention{
		group:  group,
		states: make([]float32, queries*stateSize(c.headDim)),
		part:   make([]float32, queries*stateSize(c.headDim)),
		ints:   newIntAttention(c, queries),
		floats: newFloatAttention(c, queries),
	}
}

// stateSize is the length of a state.
func stateSize(headDim int) int { return 2 + headDim }

// view is where the queries of a unit lie and what they see.
type view struct {
	kv          kvcache.KV
	layer, head int
	pos, rows   int       // of the first row; the number of rows
	group       int       // queries in a row
	headDim     int       // numbers in a query
	window      int       // positions that a row sees; 0: all
	q           []float32 // the first row's queries, one after another
	qStride     int       // from row to row
	out         []float32 // likewise
	outStride   int
}

// size is the length of the states of a view.
func (v *view) size() int { return v.rows * v.group * stateSize(v.headDim) }

// query is query g of row i.
func (v *view) query(i, g int) []float32 {
	return v.q[i*v.qStride+g*v.headDim:][:v.headDim]
}

// sees is the range of positions that row i sees of those in stretch s; empty
// if lo >= hi.
func (v *view) sees(i, s int) (lo, hi int) {
	end := (s + 1) * stretch
	lo, hi = s*stretch, min(end, v.pos+i+1)
	if v.window > 0 {
		lo = min(max(lo, v.pos+i+1-v.window), end)
	}
	return lo, hi
}

// scorer chooses by the format of rows.
func (a *attention) scorer(v *view) scorer {
	if v.kv.Span(v.layer, v.head, 0).K32 != nil {
		return &a.floats
	}
	return &a.ints
}

// whole computes stretches [s0,s1) and writes the results.
func (a *attention) whole(v *view, s0, s1 int) {
	states, part := a.states[:v.size()], a.part[:v.size()]
	clear(states)
	k := a.scorer(v)
	k.begin(v)
	for s := s0; s < s1; s++ {
		k.stretch(v, s, part)
		a.merge(states, part)
	}
	a.write(v, states)
}

// several computes stretches [s0,s1) and leaves their states in parts.
func (a *attention) several(v *view, s0, s1 int, parts []float32) {
	k := a.scorer(v)
	k.begin(v)
	for s := s0; s < s1; s++ {
		k.stretch(v, s, parts[:v.size()])
		parts = parts[v.size():]
	}
}

// join merges the states that several left of stretches [s0,s1), and writes
// the results.
func (a *attention) join(v *view, s0, s1 int, parts []float32) {
	states := a.states[:v.size()]
	clear(states)
	for range s1 - s0 {
		a.merge(states, parts[:v.size()])
		parts = parts[v.size():]
	}
	a.write(v, states)
}

// merge takes the states of the next stretch into those of the ones before.
func (a *attention) merge(states, part []float32) { a.ints.Merge(states, part) }

// write stores the weighted means that the states have come to.
func (a *attention) write(v *view, states []float32) {
	size := stateSize(v.headDim)
	for i := range v.rows {
		for g := range v.group {
			a.ints.Finish(v.out[i*v.outStride+g*v.headDim:][:v.headDim], states[:size])
			states = states[size:]
		}
	}
}

// intAttention reads rows of integers.
type intAttention struct {
	*simd.Attention
	scale  float32
	pieces []simd.Rows
}

func newIntAttention(c *config, queries int) intAttention {
	return intAttention{
		Attention: simd.NewAttention(c.headDim, queries),
		scale:     c.scale,
		pieces:    make([]simd.Rows, 0, stretch/kvcache.Group),
	}
}

func (a *intAttention) begin(v *view) {
	for i := range v.rows {
		for g := range v.group {
			a.SetQuery(i*v.group+g, v.query(i, g), a.scale)
		}
	}
}

func (a *intAttention) stretch(v *view, s int, states []float32) {
	first, last := s*stretch, 0
	for i := range v.rows {
		lo, hi := v.sees(i, s)
		for g := range v.group {
			a.See(i*v.group+g, lo-first, max(lo, hi)-first)
		}
		last = max(last, hi)
	}
	a.pieces = a.pieces[:0]
	for pos := first; pos < last; {
		span := v.kv.Span(v.layer, v.head, pos)
		n := min(span.N, first+2*stretch-pos) // what comes after is fetched meanwhile
		a.pieces = append(a.pieces, simd.Rows{
			N: n,
			K: span.K16, V: span.V16, K8: span.K8, V8: span.V8,
			KS: span.KS, VS: span.VS,
		})
		pos += n
	}
	a.States(states, v.rows*v.group, a.pieces...)
}
