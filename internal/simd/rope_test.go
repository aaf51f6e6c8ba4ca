package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRotate(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 12))
		for _, half := range []int{1, 2, 3, 4, 6, 7, 8, 12, 15, 16, 17, 24, 32, 33, 40, 48, 64, 128} {
			for _, heads := range []int{0, 1, 2, 3, 9} {
				cos, sin := make([]float32, half), make([]float32, half)
				for i := range cos {
					s, c := math.Sincos(rng.Float64() * 7)
					cos[i], sin[i] = float32(c), float32(s)
				}
				x := normals(rng, heads*2*half+guard, 2)
				halves, pairs := slices.Clone(x), slices.Clone(x)
				RotateHalves(halves[:heads*2*half], cos, sin)
				RotatePairs(pairs[:heads*2*half], cos, sin)
				for i := range heads * half {
					head, d := i/half*2*half, i%half
					checkTurn(t, "RotateHalves", halves, x, head+d, head+d+half, cos[d], sin[d])
					checkTurn(t, "RotatePairs", pairs, x, head+2*d, head+2*d+1, cos[d], sin[d])
				}
				end := heads * 2 * half
				if !slices.Equal(halves[end:], x[end:]) || !slices.Equal(pairs[end:], x[end:]) {
					t.Fatalf("%d heads of %d pairs: wrote beyond", heads, half)
				}
			}
		}
	})
}

func checkTurn(t *testing.T, name string, got, x []float32, i, j int, cos, sin float32) {
	t.Helper()
	a, b, c, s := float64(x[i]), float64(x[j]), float64(cos), float64(sin)
	d := math.Abs(float64(got[i])-(a*c-b*s)) + math.Abs(float64(got[j])-(b*c+a*s))
	if !(d <= 4*ulp*(math.Abs(a)+math.Abs(b))) {
		t.Fatalf("%s of %d numbers: pair %d, %d is off by %v", name, len(x), i, j, d)
	}
}

func FuzzRotate(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"), 0.3)
	f.Fuzz(func(t *testing.T, data []byte, angle float64) {
		x := floats(data, true)
		half := len(x) / 2
		s, c := math.Sincos(angle)
		if half == 0 || s != s {
			return
		}
		cos, sin := slices.Repeat([]float32{float32(c)}, half), slices.Repeat([]float32{float32(s)}, half)
		x = x[:2*half]
		forEachTier(t, func(t *testing.T) {
			halves, pairs := slices.Clone(x), slices.Clone(x)
			RotateHalves(halves, cos, sin)
			RotatePairs(pairs, cos, sin)
			for d := range half {
				checkTurn(t, "RotateHalves", halves, x, d, d+half, cos[d], sin[d])
				checkTurn(t, "RotatePairs", pairs, x, 2*d, 2*d+1, cos[d], sin[d])
			}
		})
	})
}
