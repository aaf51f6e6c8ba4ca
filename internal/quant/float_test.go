package quant

import (
	"math"
	"testing"
)

// TestHalves walks over all halves: each comes back from its single, and what lies between two neighbours goes to
// the nearer, or to the even one from the middle.
func TestHalves(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		f := F16ToF32(h)
		if f != f {
			if h&0x7c00 != 0x7c00 || h&0x3ff == 0 {
				t.Fatalf("%#04x is NaN", h)
			}
			continue
		}
		if back := F32ToF16(f); back != h {
			t.Fatalf("%#04x is %v, which is %#04x", h, f, back)
		}
		if next := h + 1; next&0x7c00 != 0x7c00 && h&0x7fff != 0x7fff {
			checkBetween(t, h, next, f, F16ToF32(next))
		}
	}
}

func checkBetween(t *testing.T, h, next uint16, f, g float32) {
	t.Helper()
	middle := (f + g) / 2 // exact: a single has 13 more bits
	even := h + h&1
	for x, want := range map[float32]uint16{
		middle: even, math.Nextafter32(middle, f): h, math.Nextafter32(middle, g): next,
	} {
		if got := F32ToF16(x); got != want {
			t.Fatalf("%v between %#04x and %#04x becomes %#04x, not %#04x", x, h, next, got, want)
		}
	}
}

func TestF16Values(t *testing.T) {
	inf := float32(math.Inf(1))
	for f, h := range map[float32]uint16{
		0: 0, 1: 0x3c00, -2: 0xc000, 65504: 0x7bff, 65519.996: 0x7bff, 65520: 0x7c00, 1e30: 0x7c00, inf: 0x7c00, -inf: 0xfc00,
		0x1p-14: 0x0400, 0x1p-24: 1, 0x1p-25: 0, 0x1.000002p-25: 1, 0x1p-149: 0, -0x1p-24: 0x8001,
	} {
		if got := F32ToF16(f); got != h {
			t.Errorf("%v becomes %#04x, not %#04x", f, got, h)
		}
	}
	nan := float32(math.NaN())
	if h := F32ToF16(nan); h&0x7c00 != 0x7c00 || h&0x3ff == 0 {
		t.Errorf("NaN becomes %#04x", h)
	}
	if f := F16ToF32(0x7c00); f != inf {
		t.Errorf("infinity becomes %v", f)
	}
}

func TestBF16(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		if f := BF16ToF32(h); f == f && F32ToBF16(f) != h {
			t.Fatalf("%#04x is %v, which is %#04x", h, f, F32ToBF16(f))
		}
	}
	for f, h := range map[float32]uint16{
		1: 0x3f80, 0x1.01p0: 0x3f80, 0x1.010002p0: 0x3f81, 0x1.03p0: 0x3f82, math.MaxFloat32: 0x7f80,
	} {
		if got := F32ToBF16(f); got != h {
			t.Errorf("%v becomes %#04x, not %#04x", f, got, h)
		}
	}
	if h := F32ToBF16(math.Float32frombits(0x7f800001)); h != 0x7fc0 {
		t.Errorf("a signalling NaN becomes %#04x", h)
	}
}
