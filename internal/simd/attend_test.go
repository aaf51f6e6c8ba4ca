package simd

import (
	"fmt"
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
	p.b = randomInts(rng, p.at(p.pairs-1, p.cols-1)+2)
	dst := make([]int32, (p.rows-1)*p.dstStride+p.cols+2*guard)
	for i := range dst {
		dst[i] = rng.Int32()
	}
	a, b := slices.Clone(p.a), slices.Clone(p.b)
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
						sum += int32(p.a[r*p.aStride+2*j+i]) * int32(p.b[p.at(j, c)+i])
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
	if !slices.Equal(a, p.a) || !slices.Equal(b, p.b) {
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

func BenchmarkMulInts(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{1, 3, 6, 48} {
		for _, p := range []struct {
			name string
			intProduct
		}{{"keys", keysProduct(rows, Stretch, 32)}, {"values", valuesProduct(rows, 64, Stretch/2)}} {
			b.Run(fmt.Sprintf("%s/%d", p.name, rows), func(b *testing.B) {
				p.a = randomInts(rng, rows*p.aStride)
				p.b = randomInts(rng, p.at(p.pairs-1, p.cols-1)+2)
				p.dst = make([]int32, rows*p.dstStride)
				for b.Loop() {
					mulInts(p.intProduct)
				}
				b.ReportMetric(float64(b.N)*float64(rows)*float64(p.cols)*float64(p.pairs)*4/float64(b.Elapsed().Nanoseconds()), "GOPS")
			})
		}
	}
}
