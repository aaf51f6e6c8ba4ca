package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// cacheRows are n positions of random keys and values of one head: packed, and
// as the floats that came of it.
type cacheRows struct {
	dim    int
	k, v   []float32 // [n][dim]
	packed Rows
}

func newCacheRows(rng *rand.Rand, n, dim int, narrow bool) *cacheRows {
	room := (n + group - 1) / group * group
	c := &cacheRows{dim: dim, k: normals(rng, n*dim, 1), v: normals(rng, n*dim, 1), packed: Rows{N: room, KS: nans(room), VS: nans(room)}}
	if narrow {
		c.packed.K8, c.packed.V8 = make([]int8, room*dim), make([]int8, room*dim)
	} else {
		c.packed.K, c.packed.V = randomInts(rng, room*dim), randomInts(rng, room*dim)
	}
	for p := range n {
		for d := range dim { // some keys and values are larger than others, and some of their numbers are
			c.k[p*dim+d] *= float32(1 + p%3)
			c.v[p*dim+d] *= float32(1 + d%5)
		}
		c.put(p)
	}
	return c
}

// put packs row p, and unpacks it.
func (c *cacheRows) put(p int) {
	g, q := p/group*group*c.dim, p/2*2*c.dim
	ge, qe := g+group*c.dim, q+2*c.dim
	k, v, r := c.k[p*c.dim:(p+1)*c.dim], c.v[p*c.dim:(p+1)*c.dim], &c.packed
	if r.K8 != nil {
		r.KS[p], r.VS[p] = PackKey8(r.K8[g:ge], p%group, k), PackValue8(r.V8[q:qe], p%2, v)
		unpack(k, v, r.K8[g:ge], r.V8[q:qe], p, r.KS[p], r.VS[p])
	} else {
		r.KS[p], r.VS[p] = PackKey(r.K[g:ge], p%group, k), PackValue(r.V[q:qe], p%2, v)
		unpack(k, v, r.K[g:ge], r.V[q:qe], p, r.KS[p], r.VS[p])
	}
}

// unpack is the definition of the layout.
func unpack[T int8 | int16](k, v []float32, keys, values []T, p int, ks, vs float32) {
	for d := range k {
		k[d] = float32(keys[d/2*2*group+p%group*2+d%2]) * ks
		v[d] = float32(values[2*d+p%2]) * vs
	}
}

func nans(n int) []float32 { return slices.Repeat([]float32{float32(math.NaN())}, n) }

// pieces cuts the stretch that begins at position at into blocks.
func (c *cacheRows) pieces(at, block int) []Rows {
	var rows []Rows
	for end := min(at+Stretch, c.packed.N); at < end; at += block {
		n := min(block, end-at)
		r := Rows{N: n, KS: c.packed.KS[at : at+n], VS: c.packed.VS[at : at+n]}
		if c.packed.K8 != nil {
			r.K8, r.V8 = c.packed.K8[at*c.dim:(at+n)*c.dim], c.packed.V8[at*c.dim:(at+n)*c.dim]
		} else {
			r.K, r.V = c.packed.K[at*c.dim:(at+n)*c.dim], c.packed.V[at*c.dim:(at+n)*c.dim]
		}
		rows = append(rows, r)
	}
	return rows
}

// attend computes queries, of which number i stands at pos+i/heads and sees a
// window, block by block.
func attend(a *Attention, c *cacheRows, q []float32, pos, heads, window, block int) []float32 {
	n := len(q) / c.dim
	out := make([]float32, len(q))
	states, part := make([]float32, n*a.StateSize()), make([]float32, n*a.StateSize())
	for i := range n {
		a.SetQuery(i, q[i*c.dim:(i+1)*c.dim], attendScale(c.dim))
	}
	for at := 0; at < pos+(n-1)/heads+1; at += Stretch {
		for i := range n {
			end := pos + i/heads + 1
			a.See(i, max(end-window-at, 0), max(min(end-at, Stretch), 0))
		}
		a.States(part, n, c.pieces(at, block)...)
		a.Merge(states, part)
	}
	for i := range n {
		a.Finish(out[i*c.dim:(i+1)*c.dim], states[i*a.StateSize():(i+1)*a.StateSize()])
	}
	return out
}

func attendScale(dim int) float32 { return float32(1 / math.Sqrt(float64(dim))) }

// attendExact is attention of one query in float64.
func attendExact(c *cacheRows, q []float32, from, to int) []float64 {
	scores, out := make([]float64, to), make([]float64, c.dim)
	top, sum := math.Inf(-1), 0.0
	for p := from; p < to; p++ {
		for d, x := range q {
			scores[p] += float64(x) * float64(c.k[p*c.dim+d])
		}
		scores[p] *= float64(attendScale(c.dim))
		top = max(top, scores[p])
	}
	for p := from; p < to; p++ {
		w := math.Exp(scores[p] - top)
		sum += w
		for d := range out {
			out[d] += w * float64(c.v[p*c.dim+d])
		}
	}
	for d := range out {
		out[d] /= sum
	}
	return out
}

// TestAttention compares with attention in float64, and sees that the bits do
// not depend on the cut of memory, nor on which queries come together.
func TestAttention(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(17, 18))
		for _, c := range []attentionCase{
			{64, 3, 0, 1, 1 << 30}, {64, 3, 0, 20, 1 << 30}, {64, 3, 700, 1, 1 << 30}, {64, 3, 500, 30, 1 << 30},
			{64, 7, 255, 3, 1 << 30}, {64, 1, 300, 40, 100}, {256, 4, 520, 9, 512}, {80, 2, 30, 5, 1 << 30},
			{8, 2, 270, 5, 1 << 30}, {34, 1, 17, 17, 5}, {64, 3, 600, 33, 17},
		} {
			testAttention(t, rng, c, false)
			testAttention(t, rng, c, true)
		}
	})
}

// attentionCase has some rows of queries, of so many heads each, the first at
// position pos.
type attentionCase struct{ dim, heads, pos, rows, window int }

func testAttention(t *testing.T, rng *rand.Rand, c attentionCase, narrow bool) {
	t.Helper()
	rows := newCacheRows(rng, c.pos+c.rows, c.dim, narrow)
	q := normals(rng, c.rows*c.heads*c.dim, 1)
	a := NewAttention(c.dim, c.rows*c.heads)
	got := attend(a, rows, q, c.pos, c.heads, c.window, Stretch)
	for i := range c.rows * c.heads {
		end := c.pos + i/c.heads + 1
		want := attendExact(rows, q[i*c.dim:(i+1)*c.dim], max(0, end-c.window), end)
		checkAttention(t, got[i*c.dim:(i+1)*c.dim], want)
	}
	for _, block := range []int{16, 32, 96} {
		if again := attend(a, rows, q, c.pos, c.heads, c.window, block); !slices.Equal(got, again) {
			t.Errorf("%+v: other bits with blocks of %d", c, block)
		}
	}
	size := c.heads * c.dim
	for i := range c.rows {
		if again := attend(a, rows, q[i*size:(i+1)*size], c.pos+i, c.heads, c.window, 48); !slices.Equal(got[i*size:(i+1)*size], again) {
			t.Fatalf("%+v: other bits if row %d is alone", c, i)
		}
	}
}

func checkAttention(t *testing.T, got []float32, want []float64) {
	t.Helper()
	// Queries are rounded to 15 bits or so, weights to 1/32767; values are below 20.
	const tol = 5e-3
	for d := range want {
		if diff := math.Abs(float64(got[d]) - want[d]); !(diff <= tol) {
			t.Fatalf("number %d is %v, want %v", d, got[d], want[d])
		}
	}
}

// TestMerge compares with float64, with states that have seen nothing on either
// side, and far apart.
func TestMerge(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(27, 28))
		for _, dim := range []int{2, 4, 14, 30, 64, 256} {
			a := NewAttention(dim, 1)
			const n = 40
			size := a.StateSize()
			states, part := make([]float32, n*size+guard), make([]float32, n*size+guard)
			for _, s := range [][]float32{states, part} {
				for i := range n {
					if rng.IntN(4) > 0 {
						copy(s[i*size:], normals(rng, size, 20))
						s[i*size+1] = 1 + rng.Float32()*100
					}
				}
				copy(s[n*size:], []float32{1, 2, 3})
			}
			before, partBefore := slices.Clone(states), slices.Clone(part)
			a.Merge(states[:n*size], part[:n*size])
			for i := range n {
				lo, hi := i*size, (i+1)*size
				checkMerge(t, states[lo:hi], before[lo:hi], part[lo:hi])
			}
			if !slices.Equal(states[n*size:], []float32{1, 2, 3}) || !slices.Equal(part, partBefore) {
				t.Fatalf("dim %d: wrote beside the states", dim)
			}
		}
	})
}

func checkMerge(t *testing.T, got, state, part []float32) {
	t.Helper()
	top := math.Inf(-1)
	for _, s := range [][]float32{state, part} {
		if s[1] != 0 {
			top = max(top, float64(s[0]))
		}
	}
	if float64(got[0]) != top {
		t.Fatalf("highest score %v, want %v", got[0], top)
	}
	for i := 1; i < len(got); i++ {
		want, terms := 0.0, 0.0
		for _, s := range [][]float32{state, part} {
			if s[1] != 0 {
				x := float64(s[i]) * math.Exp2(float64(s[0])-top)
				want, terms = want+x, terms+math.Abs(x)
			}
		}
		if !(math.Abs(float64(got[i])-want) <= 1e-6*terms+1e-20) {
			t.Fatalf("number %d is %v, want %v", i, got[i], want)
		}
	}
}

func TestAttentionNaN(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(19, 20))
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30} {
			c := newCacheRows(rng, 64, 32, false)
			c.k[40*32+5] = float32(bad)
			c.put(40)
			q := normals(rng, 50*32, 1)
			out := attend(NewAttention(32, 50), c, q, 0, 1, 1<<30, 64)
			for i := range 50 {
				for d, x := range out[i*32 : (i+1)*32] {
					if (x != x) != (i >= 40) {
						t.Fatalf("%v in key 40: number %d of query %d is %v", bad, d, i, x)
					}
				}
			}
		}
	})
}

// FuzzAttention is TestAttention of other shapes.
func FuzzAttention(f *testing.F) {
	f.Add(uint64(1), uint8(64), uint8(3), uint16(300), uint8(5), uint16(200), true)
	f.Fuzz(func(t *testing.T, seed uint64, dim, heads uint8, pos uint16, rows uint8, window uint16, narrow bool) {
		c := attentionCase{2 + int(dim)/2*2, 1 + int(heads)%9, int(pos) % 800, 1 + int(rows)%32, 1 + int(window)}
		forEachTier(t, func(t *testing.T) { testAttention(t, rand.New(rand.NewPCG(seed, 0)), c, narrow) })
	})
}

func TestAttentionDoesNotAllocate(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	c := newCacheRows(rng, Stretch, 64, false)
	a := NewAttention(64, 3)
	q := normals(rng, 64, 1)
	part := make([]float32, 3*a.StateSize())
	pieces := c.pieces(0, 32)
	if n := testing.AllocsPerRun(10, func() {
		for i := range 3 {
			a.SetQuery(i, q, 1)
			a.See(i, 0, Stretch)
		}
		a.States(part, 3, pieces...)
		a.Merge(part, part)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkAttention is one stretch after another: many queries, as in prefill,
// in GFLOPS of the multiplications and additions that it takes; few, as in
// decode, in GB/s of keys and values, which are more than the caches hold.
func BenchmarkAttention(b *testing.B) {
	rng := rand.New(rand.NewPCG(25, 26))
	for _, c := range []struct{ dim, queries, block, stretches int }{
		{64, 48, Stretch, 16}, {64, 96, Stretch, 16}, {64, 48, 32, 16}, {256, 32, Stretch, 16}, {128, 48, Stretch, 16},
		{64, 3, Stretch, 1024}, {64, 3, 32, 1024}, {64, 7, Stretch, 1024}, {256, 4, Stretch, 256}, {64, 1, Stretch, 1024},
	} {
		b.Run(fmt.Sprintf("dim%d/queries%d/block%d", c.dim, c.queries, c.block), func(b *testing.B) {
			rows := newCacheRows(rng, Stretch, c.dim, false)
			all := make([][]Rows, c.stretches)
			for i := range all {
				r := cacheRows{dim: c.dim, packed: Rows{N: Stretch, K: slices.Clone(rows.packed.K), V: slices.Clone(rows.packed.V),
					KS: slices.Clone(rows.packed.KS), VS: slices.Clone(rows.packed.VS)}}
				all[i] = r.pieces(0, c.block)
			}
			for i := range all {
				all[i] = append(all[i], all[(i+1)%len(all)][0])
			}
			a := NewAttention(c.dim, c.queries)
			for i := range c.queries {
				a.SetQuery(i, normals(rng, c.dim, 1), attendScale(c.dim))
				a.See(i, 0, Stretch)
			}
			states, part := make([]float32, c.queries*a.StateSize()), make([]float32, c.queries*a.StateSize())
			i := 0
			for b.Loop() {
				a.States(part, c.queries, all[i%len(all)]...)
				a.Merge(states, part)
				i++
			}
			ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(float64(c.queries*Stretch*c.dim*4)/ns, "GFLOPS")
			b.ReportMetric(float64(Stretch*(c.dim*4+8))/ns, "GB/s")
		})
	}
}
