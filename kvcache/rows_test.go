package kvcache

import (
	"math"
	"testing"
)

func TestHalfRoundTrip(t *testing.T) {
	for h := range 1 << 16 {
		x := unhalf(uint16(h))
		got := half(x)
		if math.IsNaN(float64(x)) {
			if !math.IsNaN(float64(unhalf(got))) {
				t.Fatalf("NaN %#x became %#x", h, got)
			}
			continue
		}
		if got != uint16(h) {
			t.Fatalf("half(unhalf(%#x)) = %#x", h, got)
		}
	}
}

func TestHalfRoundsToNearestEven(t *testing.T) {
	for h := range 0x7bff { // every finite pair of neighbours
		lo, hi := unhalf(uint16(h)), unhalf(uint16(h+1))
		middle := (lo + hi) / 2 // exact
		if got, want := half(middle), uint16(h+h&1); got != want {
			t.Fatalf("half(%g) = %#x, want %#x", middle, got, want)
		}
		if got := half(math.Nextafter32(middle, lo)); got != uint16(h) {
			t.Fatalf("just below %g = %#x, want %#x", middle, got, h)
		}
		if got := half(-math.Nextafter32(middle, hi)); got != uint16(h+1)|0x8000 {
			t.Fatalf("just above -%g = %#x, want %#x", middle, got, h+1|0x8000)
		}
	}
}

func TestHalfSpecials(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		x    float32
		want uint16
	}{
		{0, 0}, {float32(math.Copysign(0, -1)), 0x8000}, {1, 0x3c00}, {-2, 0xc000},
		{65504, 0x7bff}, {65519, 0x7bff}, {65520, 0x7c00}, {1e9, 0x7c00}, {inf, 0x7c00}, {-inf, 0xfc00},
		{0x1p-24, 1}, {0x1p-25, 0}, {0x1.8p-25, 1}, {1e-40, 0},
	} {
		if got := half(c.x); got != c.want {
			t.Errorf("half(%g) = %#x, want %#x", c.x, got, c.want)
		}
	}
}

func TestQ8(t *testing.T) {
	for _, row := range [][]float32{
		{1, -2, 3.5, -127}, {0.001, 0.0005, 0, -0.0003}, {1e30, -1e29, 5e28, 0}, {0, 0, 0, 0}, {1e-40, 0, 0, 0},
	} {
		packed := make([]int8, len(row))
		scale := packQ8(packed, row)
		for i, x := range row {
			if got := float32(packed[i]) * scale; math.Abs(float64(got-x)) > float64(scale)/2*1.0001+1e-30 {
				t.Errorf("%g became %g with scale %g", x, got, scale)
			}
		}
	}
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
		scale := packQ8(make([]int8, 3), []float32{1, bad, 2})
		if !math.IsNaN(float64(scale)) && !math.IsInf(float64(scale), 0) {
			t.Errorf("a row with %g got scale %g: the fault is hidden", bad, scale)
		}
	}
}
