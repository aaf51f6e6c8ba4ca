package kvcache_test

import (
	"math"
	"testing"

	"example.com/minillm/kvcache"
)

// TestRows writes rows of all sizes and reads them back.
func TestRows(t *testing.T) {
	for _, row := range [][]float32{
		{1, -2, 3.5, -127}, {0.001, 0.0005, 0, -0.0003}, {1e18, -1e17, 5e16, 0}, {0, 0, 0, 0}, {1e-40, 0, 0, 0},
	} {
		for f, steps := range map[kvcache.Format]float64{kvcache.I16: 1 << 14, kvcache.F32: 1 << 24, kvcache.Q8: 127} {
			k, v := throughRows(t, f, row)
			for d, x := range row {
				off := float64(largest(row))/steps + 1e-30
				if math.Abs(float64(k[d]-x)) > off || math.Abs(float64(v[d]-x)) > off {
					t.Errorf("%v: number %d of %v is %g in a key, %g in a value", f, d, row, k[d], v[d])
				}
			}
		}
	}
}

// A fault must not be hidden by the scale of its row.
func TestRowsThatAreNotFinite(t *testing.T) {
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
		for _, f := range formats {
			k, v := throughRows(t, f, []float32{1, bad, 2, 3})
			if finite(k[1]) || finite(v[1]) {
				t.Errorf("%v: %g became %g in a key, %g in a value", f, bad, k[1], v[1])
			}
		}
	}
}

func throughRows(t *testing.T, f kvcache.Format, row []float32) (k, v []float32) {
	t.Helper()
	r := region(t, kvcache.Shape{Layers: 1, Heads: 1, HeadDim: len(row)}, f)
	r.Put(0, 21, row, row)
	k, v = make([]float32, len(row)), make([]float32, len(row))
	s := r.Span(0, 0, 16)
	s.Key(k, 5)
	s.Value(v, 5)
	return k, v
}

func largest(row []float32) (x float32) {
	for _, y := range row {
		x = max(x, float32(math.Abs(float64(y))))
	}
	return x
}

func finite(x float32) bool { return math.Abs(float64(x)) <= math.MaxFloat32 }
