package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestExpSum(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		for _, n := range lengths {
			for shift := range guard {
				checkExpSum(t, normals(rng, shift+n, 5)[shift:], 3)
			}
		}
		inf, nan := float32(math.Inf(1)), float32(math.NaN())
		for _, c := range []struct{ x, want float32 }{
			{-inf, 0}, {-88, 0}, {-1e30, 0}, {0, 1}, {89, inf}, {1e30, inf}, {inf, inf}, {nan, nan},
		} {
			for n := 1; n < 40; n++ {
				x := make([]float32, n)
				x[n*7%n] = c.x
				sum := ExpSum(x, x, 0)
				if want := float64(c.want) + float64(n-1); !sameNumber(float64(x[n*7%n]), float64(c.want)) || !sameNumber(float64(sum), want) {
					t.Errorf("%v among %d zeros: %v, sum %v, want %v", c.x, n-1, x[n*7%n], sum, want)
				}
			}
		}
	})
}

func checkExpSum(t *testing.T, x []float32, offset float32) {
	t.Helper()
	n := len(x)
	dst := slices.Repeat([]float32{-7}, n+guard)
	got := ExpSum(dst[:n], x, offset)
	sum, terms := 0.0, 0.0
	for i, v := range x {
		want := math.Exp(float64(v - offset))
		off := (4 + 2*math.Abs(float64(v-offset))) * ulp * want
		if d := math.Abs(float64(dst[i]) - want); !(d <= off+1.2e-38) {
			t.Fatalf("%d numbers: exp of %v is %v, want %v", n, v-offset, dst[i], want)
		}
		sum, terms = sum+want, terms+off+float64(n)*ulp*want+1.2e-38
	}
	if d := math.Abs(float64(got) - sum); !(d <= terms) {
		t.Fatalf("%d numbers: sum %v, want %v", n, got, sum)
	}
	if dst[n] != -7 {
		t.Fatalf("%d numbers: wrote beyond", n)
	}
}

func TestArgmax(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		x    []float32
		want int
	}{
		{nil, -1}, {[]float32{nan}, -1}, {[]float32{nan, nan}, -1}, {[]float32{-inf}, 0}, {[]float32{nan, -inf, -inf}, 1},
		{[]float32{1, 3, 3, 2}, 1}, {[]float32{3, nan, inf, inf}, 2}, {[]float32{-1, 0, float32(math.Copysign(0, -1))}, 1},
	} {
		forEachTier(t, func(t *testing.T) {
			if got := Argmax(c.x); got != c.want {
				t.Errorf("Argmax(%v) = %d, want %d", c.x, got, c.want)
			}
		})
	}
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(15, 16))
		for _, n := range lengths[1:] {
			x := normals(rng, n, 1)
			for range 20 {
				at := rng.IntN(n)
				old := x[at]
				x[at] = 100
				if got := Argmax(x); got != at {
					t.Fatalf("Argmax of %d numbers = %d, want %d", n, got, at)
				}
				x[at] = old
			}
			checkAtLeast(t, x, 0.5)
			checkAtLeast(t, x, -inf)
			checkAtLeast(t, x, nan)
		}
	})
}

func checkAtLeast(t *testing.T, x []float32, limit float32) {
	t.Helper()
	want := []int32{-1}
	for i, v := range x {
		if v >= limit {
			want = append(want, int32(i))
		}
	}
	if got := AppendAtLeast([]int32{-1}, x, limit); !slices.Equal(got, want) {
		t.Fatalf("AppendAtLeast(%d numbers, %v) = %v, want %v", len(x), limit, got, want)
	}
}

func TestAppendAtLeastOfManyNumbers(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(17, 18))
		for _, n := range []int{collectStep - 1, collectStep, collectStep + 1, 3*collectStep + 7} {
			x := normals(rng, n, 1)
			for _, limit := range []float32{-9, -1, 0, 1, 2, 9} {
				checkAtLeast(t, x, limit)
			}
		}
	})
}

// What a kernel writes beyond what it finds stays within the room it was given.
func TestCollectKeepsWithinItsRoom(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		for _, n := range lengths {
			dst := slices.Repeat([]int32{-7}, n+collectRoom+1)
			if found := collect(dst[:n+collectRoom], make([]float32, n), 5, 0); found != n {
				t.Errorf("%d of %d numbers found", found, n)
			}
			for i, got := range dst[:n] {
				if got != int32(5+i) {
					t.Fatalf("index %d of %d is %d", i, n, got)
				}
			}
			if dst[n+collectRoom] != -7 {
				t.Fatalf("%d numbers: wrote beyond", n)
			}
		}
	})
}

func FuzzExpSum(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x := floats(data, true)
		for i := range x {
			x[i] = float32(math.Mod(float64(x[i]), 80))
		}
		forEachTier(t, func(t *testing.T) { checkExpSum(t, x, 0.5) })
	})
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"), float32(0))
	f.Fuzz(func(t *testing.T, data []byte, limit float32) {
		x := floats(data, false)
		want := -1
		for i, v := range x {
			if v == v && (want < 0 || v > x[want]) {
				want = i
			}
		}
		forEachTier(t, func(t *testing.T) {
			checkAtLeast(t, x, limit)
			if got := Argmax(x); got != want {
				t.Errorf("Argmax = %d, want %d", got, want)
			}
		})
	})
}

func sameNumber(a, b float64) bool { return a == b || a != a && b != b }
