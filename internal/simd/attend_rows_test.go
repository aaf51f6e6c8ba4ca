package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// TestPackRow looks at the places of numbers and the size of the rounding.
func TestPackRow(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(21, 22))
		for _, dim := range []int{2, 6, 16, 30, 64, 66, 100, 128, 256} {
			for p := range group {
				x := normals(rng, dim, 3)
				if p%4 == 1 {
					x[rng.IntN(dim)] = 1000
				}
				key, value := make([]int16, group*dim), make([]int16, 2*dim)
				ks, vs := PackKey(key, p, x), PackValue(value, p%2, x)
				if ks != vs {
					t.Fatalf("%d numbers: scales %v and %v", dim, ks, vs)
				}
				checkPack8(t, x, p)
				squares, places := 0.0, 0
				for d, v := range x {
					k := key[d/2*2*group+p*2+d%2]
					if k != value[2*d+p%2] {
						t.Fatalf("number %d of %d: key %d, value %d", d, dim, k, value[2*d+p%2])
					}
					if diff := math.Abs(float64(k)*float64(ks) - float64(v)); !(diff <= 0.51*float64(ks)) {
						t.Fatalf("number %d of %d: %v became %v", d, dim, v, float32(k)*ks)
					}
					squares += float64(k) * float64(k)
				}
				if squares >= 1<<31-1 {
					t.Fatalf("%d numbers: the product of the row with itself is %v", dim, squares)
				}
				for _, k := range key {
					if k != 0 {
						places++
					}
				}
				if places > dim {
					t.Fatalf("key of %d numbers takes %d places", dim, places)
				}
			}
		}
		zero := make([]float32, 16)
		key := make([]int16, 16*16)
		if s := PackKey(key, 3, zero); s != 0 || slices.Max(key) != 0 {
			t.Errorf("row of zeros: scale %v", s)
		}
	})
}

func checkPack8(t *testing.T, x []float32, p int) {
	t.Helper()
	dim := len(x)
	key, value, k, v := make([]int8, group*dim), make([]int8, 2*dim), make([]float32, dim), make([]float32, dim)
	ks, vs := PackKey8(key, p, x), PackValue8(value, p%2, x)
	unpack(k, v, key, value, p, ks, vs)
	for d := range x {
		if diff := math.Abs(float64(k[d]) - float64(x[d])); k[d] != v[d] || !(diff <= 0.501*float64(ks)) {
			t.Fatalf("number %d of %d: %v became %v and %v", d, dim, x[d], k[d], v[d])
		}
	}
}

// TestPackBeside writes both values of a pair at the same time, over and over.
func TestPackBeside(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		const dim = 72
		pair, pair8 := make([]int16, 2*dim), make([]int8, 2*dim)
		var both sync.WaitGroup
		for p := range 2 {
			both.Go(func() {
				x := make([]float32, dim)
				for i := range 20000 {
					for d := range x {
						x[d] = float32(1 - i%2*2)
					}
					PackValue(pair, p, x)
					PackValue8(pair8, p, x)
					for d := p; d < 2*dim; d += 2 {
						if (pair[d] > 0) != (i%2 == 0) || (pair8[d] > 0) != (i%2 == 0) {
							t.Errorf("number %d of value %d is lost", d/2, p)
							return
						}
					}
				}
			})
		}
		both.Wait()
	})
}
