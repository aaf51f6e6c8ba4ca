package simd

import (
	"math"
	"slices"
	"testing"
)

func TestHalf(t *testing.T) {
	all := make([]uint16, 1<<16)
	for i := range all {
		all[i] = uint16(i)
	}
	forEachTier(t, func(t *testing.T) {
		wide, back := make([]float32, len(all)), make([]uint16, len(all))
		F16ToF32(wide, all)
		F32ToF16(back, wide)
		for i, h := range all {
			if x := halfValue(h); !sameNumber(float64(wide[i]), x) {
				t.Fatalf("half %#04x is %v, want %v", h, wide[i], x)
			}
			if back[i] != h && back[i] != h|0x200 {
				t.Fatalf("half %#04x comes back as %#04x", h, back[i])
			}
		}
		for i := 0; i < 0x7c00; i++ {
			low, high := wide[i], wide[i+1]
			if i == 0x7bff {
				high = 65536
			}
			mid := (low + high) / 2
			x := []float32{mid, math.Nextafter32(mid, low), math.Nextafter32(mid, 1e9), -mid}
			even := uint16(i) + uint16(i)&1
			want := []uint16{even, uint16(i), uint16(i) + 1, even | 0x8000}
			x, want = slices.Repeat(x, 5), slices.Repeat(want, 5)
			if got := back[:len(x)]; true {
				if F32ToF16(got, x); !slices.Equal(got, want) {
					t.Fatalf("halves of %v: %x, want %x", x[:4], got[:4], want[:4])
				}
			}
		}
		for _, n := range lengths {
			dst, h := slices.Repeat([]float32{-7}, n+guard), slices.Repeat([]uint16{7}, n+guard)
			F16ToF32(dst[:n], all[:n])
			F32ToF16(h[:n], wide[:n])
			if !slices.Equal(dst[:n], wide[:n]) || dst[n] != -7 || !slices.Equal(h[:n], all[:n]) || h[n] != 7 {
				t.Fatalf("wrong conversion of %d numbers", n)
			}
		}
	})
}

func halfValue(h uint16) float64 {
	sign, exp, frac := 1-2*float64(h>>15), int(h>>10&0x1f), float64(h&0x3ff)
	switch {
	case exp == 0x1f && frac != 0:
		return math.NaN()
	case exp == 0x1f:
		return math.Inf(int(sign))
	case exp == 0:
		return sign * math.Ldexp(frac, -24)
	}
	return sign * math.Ldexp(1+frac/1024, exp-15)
}

func sameNumber(a, b float64) bool { return a == b || a != a && b != b }

func FuzzHalf(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x := floats(data, false)
		want := make([]uint16, len(x))
		f32ToF16Generic(want, x)
		forEachTier(t, func(t *testing.T) {
			got := make([]uint16, len(x))
			if F32ToF16(got, x); !slices.Equal(got, want) {
				t.Errorf("halves of %v: %x, want %x", x, got, want)
			}
		})
	})
}
