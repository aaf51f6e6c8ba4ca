package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMulInts compares all tiers with the definition, bit for bit, in shapes
// around those of the tiles, in both layouts, with and without what is there.
func TestMulInts(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, rows := range []int{1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 18} {
			for _, cols := range []int{1, 8, 15, 16, 17, 32, 48, 64, 80, 112, 128, 136} {
				for _, pairs := range []int{1, 2, 3, 8, 32} {
					testMulInts(t, rng, keysProduct(rows, cols, pairs))
					testMulInts(t, rng, valuesProduct(rows, cols, pairs))
				}
			}
		}
	})
}

// keysProduct has the layout of queries times keys of 2*pairs numbers.
func keysProduct(rows, cols, pairs int) intProduct {
	return intProduct{
		rows: rows, cols: cols, pairs: pairs,
		dstStride: cols + 3, aStride: 2*pairs + 4,
		bStep: 2 * group, bGroup: 2 * pairs * group,
	}
}

// valuesProduct has that of weights times 2*pairs values of cols numbers.
func valuesProduct(rows, cols, pairs int) intProduct {
	return intProduct{
		rows: rows, cols: cols, pairs: pairs,
		dstStride: cols, aStride: 2 * pairs,
		bStep: 2 * cols, bGroup: 2 * group,
	}
}

const guard = 3

func testMulInts(t *testing.T, rng *rand.Rand, p intProduct) {
	t.Helper()
	p.a = randomInts(rng, (p.rows-1)*p.aStride+2*p.pairs)
	wide := randomInts(rng, p.at(p.pairs-1, p.cols-1)+2)
	narrow := make([]int8, len(wide))
	for i := range narrow {
		narrow[i] = int8(rng.IntN(256) - 128)
	}
	testProduct(t, rng, p, ints{wide: wide}, func(i int) int32 { return int32(wide[i]) })
	testProduct(t, rng, p, ints{narrow: narrow}, func(i int) int32 { return int32(narrow[i]) })
}

func testProduct(t *testing.T, rng *rand.Rand, p intProduct, b ints, at func(i int) int32) {
	t.Helper()
	p.b = b
	dst := make([]int32, (p.rows-1)*p.dstStride+p.cols+2*guard)
	for i := range dst {
		dst[i] = rng.Int32()
	}
	a, wide, narrow := slices.Clone(p.a), slices.Clone(b.wide), slices.Clone(b.narrow)
	for _, p.add = range []bool{false, true} {
		want := slices.Clone(dst)
		for r := range p.rows {
			for c := range p.cols {
				sum := int32(0)
				if p.add {
					sum = want[guard+r*p.dstStride+c]
				}
				for j := range p.pairs {
					for i := range 2 {
						sum += int32(p.a[r*p.aStride+2*j+i]) * at(p.at(j, c)+i)
					}
				}
				want[guard+r*p.dstStride+c] = sum
			}
		}
		p.dst = dst[guard : len(dst)-guard]
		mulInts(p)
		if !slices.Equal(dst, want) {
			t.Fatalf("%d rows, %d pairs, %d columns, add %v: wrong product", p.rows, p.pairs, p.cols, p.add)
		}
	}
	if !slices.Equal(a, p.a) || !slices.Equal(wide, b.wide) || !slices.Equal(narrow, b.narrow) {
		t.Fatal("mulInts changed its arguments")
	}
}

func randomInts(rng *rand.Rand, n int) []int16 {
	x := make([]int16, n)
	for i := range x {
		x[i] = int16(rng.IntN(2*32767+1) - 32767)
	}
	return x
}

// FuzzMulInts and FuzzSoften are their tests in other shapes.
func FuzzMulInts(f *testing.F) {
	f.Add(uint64(1), uint8(7), uint8(65), uint8(20))
	f.Fuzz(func(t *testing.T, seed uint64, rows, cols, pairs uint8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		forEachTier(t, func(t *testing.T) {
			testMulInts(t, rng, keysProduct(1+int(rows)%32, 1+int(cols), 1+int(pairs)))
			testMulInts(t, rng, valuesProduct(1+int(rows)%32, 1+int(cols), 1+int(pairs)))
		})
	})
}

func FuzzSoften(f *testing.F) {
	f.Add(uint64(1), uint8(2), uint8(3), int32(40), int32(60))
	f.Fuzz(func(t *testing.T, seed uint64, first, groups uint8, from, to int32) {
		at := int(first) % (Stretch / group)
		n := 1 + int(groups)%(Stretch/group-at)
		rng := rand.New(rand.NewPCG(seed, 0))
		forEachTier(t, func(t *testing.T) {
			testSoften(t, rng, at*group, n, []int32{from & 511, 0}, []int32{to & 511, Stretch})
		})
	})
}

func BenchmarkMulInts(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{1, 3, 6, 48} {
		for _, p := range []struct {
			name string
			intProduct
		}{{"keys", keysProduct(rows, Stretch, 32)}, {"values", valuesProduct(rows, 64, Stretch/2)}} {
			b.Run(fmt.Sprintf("%s/%d", p.name, rows), func(b *testing.B) {
				p.a = randomInts(rng, rows*p.aStride)
				p.b.wide = randomInts(rng, p.at(p.pairs-1, p.cols-1)+2)
				p.dst = make([]int32, rows*p.dstStride)
				for b.Loop() {
					mulInts(p.intProduct)
				}
				b.ReportMetric(float64(b.N)*float64(rows)*float64(p.cols)*float64(p.pairs)*4/float64(b.Elapsed().Nanoseconds()), "GOPS")
			})
		}
	}
}

// TestSoften compares all tiers with float64, over ranges that begin and end
// anywhere, and looks at what lies beside the groups.
func TestSoften(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for n := range Stretch + 1 {
			first := rng.IntN(Stretch/group) * group
			groups := 1 + rng.IntN((Stretch-first)/group)
			end := first + groups*group
			from := []int32{0, int32(first), int32(rng.IntN(end + 1)), int32(n)}
			to := []int32{Stretch, int32(rng.IntN(end + 1)), int32(rng.IntN(end + 1)), int32(n + 1)}
			testSoften(t, rng, first, groups, from, to)
		}
		testSoften(t, rng, 0, Stretch/group, make([]int32, 20), slices.Repeat([]int32{Stretch}, 20))
	})
}

func testSoften(t *testing.T, rng *rand.Rand, first, groups int, from, to []int32) {
	t.Helper()
	n, rows, size := groups*group, len(from), 3+rng.IntN(3)
	s := softening{from: from, to: to, first: first, groups: groups, size: size}
	s.weights = randomInts(rng, rows*Stretch)
	s.scores = make([]int32, rows*Stretch)
	for i := range s.scores {
		s.scores[i] = rng.Int32() - 1<<30
	}
	s.ks, s.vs, s.scales = randomFloats(rng, n), randomFloats(rng, n), make([]float32, rows)
	for r := range s.scales {
		s.scales[r] = rng.Float32() * 5e-8
	}
	s.states = randomFloats(rng, rows*size)
	before := s
	before.weights, before.scores, before.states = slices.Clone(s.weights), slices.Clone(s.scores), slices.Clone(s.states)
	soften(s)
	for r := range rows {
		compareSoften(t, &s, &before, r)
		for i, w := range s.weights[r*Stretch+n : (r+1)*Stretch] {
			if w != before.weights[r*Stretch+n+i] || s.scores[r*Stretch+n+i] != before.scores[r*Stretch+n+i] {
				t.Fatalf("first %d, %d groups: wrote beside row %d", first, groups, r)
			}
		}
		if !slices.Equal(s.states[r*size+3:(r+1)*size], before.states[r*size+3:(r+1)*size]) {
			t.Fatalf("first %d, %d groups: wrote beside state %d", first, groups, r)
		}
	}
}

func compareSoften(t *testing.T, s, before *softening, r int) {
	t.Helper()
	n := s.groups * group
	exact := make([]float64, n)
	top, sum, total := math.Inf(-1), 0.0, 0.0
	sees := func(j int) bool { return s.first+j >= int(s.from[r]) && s.first+j < int(s.to[r]) }
	for j := range exact {
		exact[j] = float64(before.scores[r*Stretch+j]) * float64(s.ks[j]) * float64(s.scales[r])
		if sees(j) {
			top = max(top, exact[j])
		}
	}
	for j := range exact {
		if !sees(j) {
			exact[j] = 0
			continue
		}
		e := math.Exp2(exact[j] - top)
		sum += e
		exact[j] = e * float64(s.vs[j])
		total += exact[j]
	}
	state := s.states[r*s.size:]
	// Scores are below 2^7, so a power is off by 2^7*ln(2)*2^-23 and little more.
	const off = 2e-5
	if d := math.Abs(float64(state[0]) - top); d > 1e-5 {
		t.Errorf("row %d, first %d, sees [%d,%d): top is %v, want %v", r, s.first, s.from[r], s.to[r], state[0], top)
	}
	if d := math.Abs(float64(state[1]) - sum); d > off*sum {
		t.Errorf("row %d, first %d, sees [%d,%d): sum is %v, want %v", r, s.first, s.from[r], s.to[r], state[1], sum)
	}
	if d := math.Abs(float64(state[2])*32767 - total); d > off*total {
		t.Errorf("row %d, first %d, sees [%d,%d): weights are %v, want %v", r, s.first, s.from[r], s.to[r], state[2]*32767, total)
	}
	for j, w := range s.weights[r*Stretch:][:n] {
		want := 0.0
		if total > 0 {
			want = exact[j] / total * 32767
		}
		if math.Abs(float64(w)-want) > 0.5+2*off*want {
			t.Fatalf("row %d, first %d, sees [%d,%d): weight %d is %d, want %v", r, s.first, s.from[r], s.to[r], j, w, want)
		}
	}
}

func randomFloats(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = rng.Float32()
	}
	return x
}

func TestSoftenEdges(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		const n = 2 * group
		ones := slices.Repeat([]float32{1}, n)
		run := func(ks, vs []float32, from, to int32) []float32 {
			s := softening{
				weights: make([]int16, Stretch), scores: make([]int32, Stretch), ks: ks, vs: vs, scales: ones[:1],
				from: []int32{from}, to: []int32{to}, states: make([]float32, 3), size: 3, groups: n / group,
			}
			soften(s)
			return s.states
		}
		if got := run(ones, make([]float32, n), 3, n); !slices.Equal(got, []float32{0, n - 3, 0}) {
			t.Errorf("equal scores of values that are zero: %v", got)
		}
		for j := range int32(n) {
			bad := slices.Clone(ones)
			bad[j] = float32(math.NaN())
			if got := run(bad, ones, 0, n); got[1] == got[1] || got[2] == got[2] {
				t.Errorf("NaN at %d is lost: %v", j, got)
			}
			if got := run(bad, bad, j+1, n); j < n-1 && !slices.Equal(got, []float32{0, float32(n - j - 1), float32(n-j-1) / 32767}) {
				t.Errorf("NaN at %d is seen from %d on: %v", j, j+1, got)
			}
			if got := run(bad, bad, 0, j); j > 0 && !slices.Equal(got, []float32{0, float32(j), float32(j) / 32767}) {
				t.Errorf("NaN at %d is seen up to %d: %v", j, j, got)
			}
		}
	})
}

func BenchmarkSoften(b *testing.B) {
	const rows = 8
	rng := rand.New(rand.NewPCG(3, 4))
	s := softening{
		weights: make([]int16, rows*Stretch), scores: make([]int32, rows*Stretch),
		ks: randomFloats(rng, Stretch), vs: randomFloats(rng, Stretch), scales: randomFloats(rng, rows),
		from: make([]int32, rows), to: slices.Repeat([]int32{Stretch}, rows),
		states: make([]float32, rows*3), size: 3, groups: Stretch / group,
	}
	for b.Loop() {
		soften(s)
	}
	b.ReportMetric(float64(b.N)*rows*Stretch/float64(b.Elapsed().Nanoseconds()), "Gscores/s")
}
