package simd

// Stretch is the number of positions that attention takes together. Softmax
// is computed over each stretch by itself and the results are merged in
// ascending order. Stretches begin at multiples of Stretch, so what is summed in
// which order depends on positions alone: the bits of a result depend neither on
// which worker had which stretch, nor on the queries beside, nor on how memory
// is cut into blocks.
const Stretch = 256

// group is the number of positions whose keys lie interleaved.
const group = 16

// Rows are the keys and values of N consecutive positions of one head, N a
// multiple of 16. A row is dim signed integers, of 16 bits or of 8, and the scale
// that makes numbers of them; the fields of the other width are nil.
//
// Both lie in pairs, because the processor multiplies and adds two 16-bit
// integers at once. Keys are transposed in groups of 16 positions: number d of
// position p is K[p/16*16*dim + d/2*32 + p%16*2 + d%2], so that a register holds
// two numbers of each of 16 keys and a score needs no sum across lanes. Of
// values, two positions are interleaved: number d of position p is
// V[p/2*2*dim + 2*d + p%2].
type Rows struct {
	N      int
	K, V   []int16
	K8, V8 []int8
	KS, VS []float32 // scales, [N]
}

// Attention computes causal attention of some queries over stretches of keys
// and values, and holds one worker's room for it. Set the queries, say for each
// stretch what they see of it, and compute their states. Merge joins the states
// of stretches, Finish makes results of them.
//
// A state is [2+dim], what is known of a query after some positions: the highest
// score in units of log2(e), the sum of the exponentials of scores relative to
// it, and the values weighted by these. A sum of zero means that the query has
// seen nothing.
// Source: Milakov and Gimelshein, arXiv:1805.02867.
//
// Scores and weighted values are sums of integers, exact in any order. The
// queries are rounded to 16 bits as keys are; the weights of a stretch to
// 1/32767 of their sum.
type Attention struct {
	dim int

	queries []int16   // [queries][dim]
	scales  []float32 // [queries]
	from    []int32   // [queries]: what is seen of the stretch
	to      []int32

	scores  []int32   // [queryBlock][Stretch]
	weights []int16   // [queryBlock][Stretch]
	sums    []int32   // [queryBlock][dim]
	ks, vs  []float32 // [Stretch]
	parts   []part    // of the stretch, as far as it is seen
	next    ints      // keys after the stretch
}

// queryBlock is the number of queries that go through all steps together: so
// many rows of scores stay in the nearest cache.
const queryBlock = 18

// NewAttention returns room for so many queries of dim numbers, which must be
// even.
func NewAttention(dim, queries int) *Attention {
	if dim < 2 || dim%2 != 0 || queries < 1 {
		panic("simd: NewAttention: no even dimension, or no queries")
	}
	return &Attention{
		dim:     dim,
		queries: make([]int16, queries*dim),
		scales:  make([]float32, queries),
		from:    make([]int32, queries),
		to:      make([]int32, queries),
		scores:  make([]int32, queryBlock*Stretch),
		weights: make([]int16, queryBlock*Stretch),
		sums:    make([]int32, queryBlock*dim),
		ks:      make([]float32, Stretch),
		vs:      make([]float32, Stretch),
		parts:   make([]part, 0, Stretch/group),
	}
}

// StateSize is the length of a state, 2+dim.
func (a *Attention) StateSize() int { return 2 + a.dim }

// SetQuery makes q [dim] query i. Scores will be multiplied by scale, which must
// not be negative. The query sees nothing until See is called.
func (a *Attention) SetQuery(i int, q []float32, scale float32) {
	if len(q) != a.dim {
		panic("simd: SetQuery: not a query of this attention")
	}
	a.scales[i] = packRow(a.queries[i*a.dim:][:a.dim], q) * scale * log2e
	a.from[i], a.to[i] = 0, 0
}

// See says that query i sees the positions [from,to) of the next stretch,
// counted from its start, and no others; none if from >= to.
func (a *Attention) See(i, from, to int) {
	if from < 0 || to > Stretch {
		panic("simd: See: beyond the stretch")
	}
	a.from[i], a.to[i] = int32(from), int32(to)
}

// States computes the states [n][StateSize] of the first n queries over a
// stretch. The stretch is given in any number of pieces, which must reach as far
// as any of the queries sees. Rows that no query sees may hold anything; what
// lies beyond the stretch is not computed, but fetched from memory ahead of need.
func (a *Attention) States(states []float32, n int, pieces ...Rows) {
	if n > len(a.scales) {
		panic("simd: States: more queries than there is room for")
	}
	sameLength("States", len(states), n*a.StateSize())
	for lo := 0; lo < n; lo += queryBlock {
		hi := min(lo+queryBlock, n)
		a.block(states[lo*a.StateSize():hi*a.StateSize()], lo, hi, pieces)
	}
}

// block computes the states of queries [lo,hi).
func (a *Attention) block(states []float32, lo, hi int, pieces []Rows) {
	from, to := a.view(lo, hi)
	if from == to {
		clear(states)
		return
	}
	a.cut(from, to, pieces)
	a.score(lo, hi)
	soften(softening{
		weights: a.weights[from:], scores: a.scores[from:],
		ks: a.ks[from:], vs: a.vs[from:],
		scales: a.scales[lo:hi], from: a.from[lo:hi], to: a.to[lo:hi],
		states: states, size: a.StateSize(),
		first: from, groups: (to - from) / group,
	})
	a.weigh(hi - lo)
	scaleStates(states, a.sums, a.dim)
}

// view is the range that contains what queries [lo,hi) see, in whole groups.
func (a *Attention) view(lo, hi int) (from, to int) {
	from = Stretch
	for i := lo; i < hi; i++ {
		if a.from[i] < a.to[i] {
			from, to = min(from, int(a.from[i])), max(to, int(a.to[i]))
		}
	}
	if from >= to {
		return 0, 0
	}
	return from / group * group, (to + group - 1) / group * group
}

// part is what one piece has of the range that is seen: n rows, which begin at
// position at.
type part struct {
	at, n  int
	k, v   ints
	ks, vs []float32
}

// cut finds the parts of [from,to), and the keys after the stretch.
func (a *Attention) cut(from, to int, pieces []Rows) {
	a.parts, a.next = a.parts[:0], ints{}
	at := 0
	for i := range pieces {
		r := &pieces[i]
		keys, values := ints{r.K, r.K8}, ints{r.V, r.V8}
		if lo, hi := max(from-at, 0), min(to-at, r.N); lo < hi {
			a.parts = append(a.parts, part{
				at: at + lo, n: hi - lo,
				k: keys.cut(lo*a.dim, hi*a.dim), v: values.cut(lo*a.dim, hi*a.dim),
				ks: r.KS[lo:hi], vs: r.VS[lo:hi],
			})
		}
		if at += r.N; at > Stretch {
			a.next = keys.cut(max(r.N-(at-Stretch), 0)*a.dim, r.N*a.dim)
			break
		}
	}
	if at < to {
		panic("simd: States: pieces end before what is seen")
	}
}

// score multiplies the queries with the keys. Meanwhile the keys after them
// come into the cache, and then the first values.
func (a *Attention) score(lo, hi int) {
	for i := range a.parts {
		p := &a.parts[i]
		copy(a.ks[p.at:], p.ks)
		copy(a.vs[p.at:], p.vs)
		ahead := a.parts[0].v
		if i+1 < len(a.parts) {
			ahead = a.parts[i+1].k
		}
		mulInts(intProduct{
			dst: a.scores[p.at:], dstStride: Stretch,
			a: a.queries[lo*a.dim:], aStride: a.dim,
			b: p.k, bStep: 2 * group, bGroup: group * a.dim,
			rows: hi - lo, pairs: a.dim / 2, cols: p.n,
			ahead: ahead,
		})
	}
}

// weigh adds the values, times their weights, to sums.
func (a *Attention) weigh(n int) {
	for i := range a.parts {
		p := &a.parts[i]
		ahead := a.next
		if i+1 < len(a.parts) {
			ahead = a.parts[i+1].v
		}
		mulInts(intProduct{
			dst: a.sums, dstStride: a.dim,
			a: a.weights[p.at:], aStride: Stretch,
			b: p.v, bStep: 2 * a.dim, bGroup: 2 * group,
			rows: n, pairs: p.n / 2, cols: a.dim,
			add:   i > 0,
			ahead: ahead,
		})
	}
}
