package simd

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// lengths lie around the widths of registers and of unrolled loops.
var lengths = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 63, 64, 65, 79, 127, 128, 129, 255, 576, 1000}

// elementwise are the kernels of which number i of the result depends on number
// i of the inputs alone: with the true value, and how large the terms of it are
// that the error is measured by.
var elementwise = []struct {
	name string
	run  func(dst, x, y []float32)
	want func(dst, x, y float64) (value, terms float64)
	tol  float64
}{
	{"Add", func(dst, x, _ []float32) { Add(dst, x) },
		func(d, x, _ float64) (float64, float64) { return d + x, math.Abs(d) + math.Abs(x) }, 1},
	{"Axpy", func(dst, x, _ []float32) { Axpy(dst, 1.7, x) },
		func(d, x, _ float64) (float64, float64) {
			ax := float64(float32(1.7)) * x
			return d + ax, math.Abs(d) + math.Abs(ax)
		}, 2},
	{"Scale", func(dst, _, _ []float32) { Scale(dst, -0.3) },
		func(d, _, _ float64) (float64, float64) { v := d * float64(float32(-0.3)); return v, math.Abs(v) }, 1},
	{"mulScaled", func(dst, x, y []float32) { mulScaled(dst, x, y, 0.7) },
		func(_, x, y float64) (float64, float64) {
			v := x * y * float64(float32(0.7))
			return v, math.Abs(v)
		}, 2},
	{"SwiGLU", SwiGLU,
		func(_, x, y float64) (float64, float64) {
			v := x / (1 + math.Exp(-x)) * y
			return v, math.Abs(v) * (4 + math.Abs(x))
		}, 2},
	{"GeGLU", GeGLU,
		func(_, x, y float64) (float64, float64) {
			z := math.Sqrt(2/math.Pi) * (x + 0.044715*x*x*x)
			v := x * y / (1 + math.Exp(-2*z)) // 0.5*x*(1+tanh(z))*y
			return v, math.Abs(x*y) * ((4+4*math.Abs(z))/(1+math.Exp(-2*z)) + 1e-22)
		}, 2},
	{"SoftCap", func(dst, x, _ []float32) { copy(dst, x); SoftCap(dst, 5) },
		func(_, x, _ float64) (float64, float64) { return 5 * math.Tanh(x/5), 5 }, 6},
}

const ulp = 0x1p-24 // largest rounding error relative to a number

// TestElementwise compares all tiers with float64 at all lengths, in slices that
// begin anywhere, and sees that nothing else is written and that the result of a
// number does not depend on where slices are cut.
func TestElementwise(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for _, k := range elementwise {
			for _, n := range lengths {
				for shift := range guard {
					m := shift + n + guard
					dst, x, y := normals(rng, m, 3), normals(rng, m, 6), normals(rng, m, 3)
					before, x0, y0 := slices.Clone(dst), slices.Clone(x), slices.Clone(y)
					in := func(s []float32) []float32 { return s[shift : shift+n : shift+n] }
					k.run(in(dst), in(x), in(y))
					for i, got := range dst {
						if i < shift || i >= shift+n {
							if got != before[i] {
								t.Fatalf("%s of %d numbers writes beside them", k.name, n)
							}
							continue
						}
						want, terms := k.want(float64(before[i]), float64(x[i]), float64(y[i]))
						if d := math.Abs(float64(got) - want); !(d <= k.tol*ulp*terms) {
							t.Fatalf("%s of %d numbers: %v, want %v, off by %.1f ulp", k.name, n, got, want, d/ulp/terms)
						}
					}
					if !slices.Equal(x, x0) || !slices.Equal(y, y0) {
						t.Fatalf("%s changes its arguments", k.name)
					}
					again, cut := slices.Clone(before), n/3
					k.run(in(again)[:cut], in(x)[:cut], in(y)[:cut])
					k.run(in(again)[cut:], in(x)[cut:], in(y)[cut:])
					if !slices.Equal(dst, again) {
						t.Fatalf("%s of %d numbers: other bits if cut at %d", k.name, n, cut)
					}
				}
			}
		}
	})
}

// TestElementwiseNaN sees that NaN comes out where it went in and nowhere else,
// and that infinite numbers do not spoil their neighbours.
func TestElementwiseNaN(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		for _, k := range elementwise {
			if k.name == "Scale" {
				continue // reads dst only
			}
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -1e30} {
				for n := 1; n < 40; n++ {
					at := (n * 7) % n
					dst, x, y := make([]float32, n), slices.Repeat([]float32{1}, n), slices.Repeat([]float32{1}, n)
					x[at] = float32(bad)
					k.run(dst, x, y)
					for i, got := range dst {
						if isNaN := got != got; isNaN != (i == at && bad != bad) {
							t.Errorf("%s of %d numbers, %v at %d: %v at %d", k.name, n, bad, at, got, i)
						}
					}
				}
			}
		}
	})
}

func TestDot(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		for _, n := range lengths {
			for shift := range guard {
				a, b := normals(rng, shift+n, 1)[shift:], normals(rng, shift+n, 1)[shift:]
				checkDot(t, a, b)
			}
			for at := range min(n, 20) {
				a, b := normals(rng, n, 1), slices.Repeat([]float32{1}, n)
				a[at] = float32(math.NaN())
				if got := Dot(a, b); got == got {
					t.Errorf("Dot of %d numbers loses NaN at %d", n, at)
				}
				a[at] = float32(math.Inf(1))
				if got := Dot(a, b); !math.IsInf(float64(got), 1) {
					t.Errorf("Dot of %d numbers, Inf at %d: %v", n, at, got)
				}
			}
		}
	})
}

func checkDot(t *testing.T, a, b []float32) {
	t.Helper()
	var want, terms float64
	for i := range a {
		want += float64(a[i]) * float64(b[i])
		terms += math.Abs(float64(a[i]) * float64(b[i]))
	}
	if d := math.Abs(float64(Dot(a, b)) - want); !(d <= float64(len(a)+2)*ulp*terms+1e-37) {
		t.Errorf("Dot of %d numbers is off by %v of %v", len(a), d, terms)
	}
}

func TestRMSNorm(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 10))
		for _, n := range lengths {
			x, w := normals(rng, n, 2), normals(rng, n, 1)
			dst := slices.Repeat([]float32{-7}, n+guard)
			RMSNorm(dst[:n], x, w, 1e-5)
			var squares float64
			for _, v := range x {
				squares += float64(v) * float64(v)
			}
			for i, v := range x {
				want := float64(v) * float64(w[i]) / math.Sqrt(squares/float64(n)+1e-5)
				if d := math.Abs(float64(dst[i]) - want); !(d <= (4+float64(n)/32)*ulp*math.Abs(want)) {
					t.Fatalf("%d numbers: %v, want %v", n, dst[i], want)
				}
			}
			if dst[n] != -7 {
				t.Fatalf("%d numbers: wrote beyond", n)
			}
			RMSNorm(x, x, w, 1e-5)
			if !slices.Equal(x, dst[:n]) {
				t.Fatalf("%d numbers: other bits in place", n)
			}
		}
	})
}

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

func TestSoftmax(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		for _, n := range lengths {
			for shift := range guard {
				checkSoftmax(t, normals(rng, shift+n, 5)[shift:])
			}
		}
		inf := float32(math.Inf(1))
		dst := make([]float32, 3)
		if Softmax(dst, []float32{-inf, 3, -inf}); !slices.Equal(dst, []float32{0, 1, 0}) {
			t.Errorf("softmax of one finite number: %v", dst)
		}
		for _, x := range [][]float32{{-inf, -inf}, {1, inf}, {1, float32(math.NaN())}} {
			if Softmax(dst[:2], x); !slices.ContainsFunc(dst[:2], func(v float32) bool { return v != v }) {
				t.Errorf("softmax of %v: %v", x, dst[:2])
			}
		}
	})
}

func checkSoftmax(t *testing.T, x []float32) {
	t.Helper()
	n := len(x)
	dst := slices.Repeat([]float32{-7}, n+guard)
	Softmax(dst[:n], x)
	top := float64(Max(x))
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - top)
	}
	for i, v := range x {
		want := math.Exp(float64(v)-top) / sum
		if d := math.Abs(float64(dst[i]) - want); !(d <= (8+2*(top-float64(v))+float64(n)/16)*ulp*want+1e-37) {
			t.Fatalf("%d numbers: softmax of %v is %v, want %v", n, v, dst[i], want)
		}
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

// TestHalf converts every half there is and back, and compares the rounding of
// all tiers at numbers around those between halves.
func TestHalf(t *testing.T) {
	all := make([]uint16, 1<<16)
	for i := range all {
		all[i] = uint16(i)
	}
	forEachTier(t, func(t *testing.T) {
		wide, back, brain := make([]float32, len(all)), make([]uint16, len(all)), make([]float32, len(all))
		F16ToF32(wide, all)
		F32ToF16(back, wide)
		BF16ToF32(brain, all)
		for i, h := range all {
			if x := halfValue(h); !sameNumber(float64(wide[i]), x) {
				t.Fatalf("half %#04x is %v, want %v", h, wide[i], x)
			}
			if back[i] != h && back[i] != h|0x200 {
				t.Fatalf("half %#04x comes back as %#04x", h, back[i])
			}
			if math.Float32bits(brain[i]) != uint32(h)<<16 {
				t.Fatalf("bfloat16 %#04x is %v", h, brain[i])
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
			if BF16ToF32(dst[:n], all[:n]); !slices.Equal(dst[:n], brain[:n]) || dst[n] != -7 {
				t.Fatalf("wrong conversion of %d numbers", n)
			}
		}
	})
}

// halfValue is the value of a half by the definition of IEEE 754.
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

func TestLengthsAreChecked(t *testing.T) {
	x, h := make([]float32, 8), make([]uint16, 8)
	for name, f := range map[string]func(){
		"Dot":          func() { Dot(x, x[1:]) },
		"Add":          func() { Add(x, x[1:]) },
		"Axpy":         func() { Axpy(x, 1, x[1:]) },
		"RMSNorm":      func() { RMSNorm(x, x, x[1:], 0) },
		"RotateHalves": func() { RotateHalves(x, x[:3], x[:3]) },
		"RotatePairs":  func() { RotatePairs(x, x[:2], x[:3]) },
		"SwiGLU":       func() { SwiGLU(x, x, x[1:]) },
		"GeGLU":        func() { GeGLU(x, x[1:], x) },
		"SoftCap":      func() { SoftCap(x, 0) },
		"Softmax":      func() { Softmax(x, x[1:]) },
		"ExpSum":       func() { ExpSum(x, x[1:], 0) },
		"F16ToF32":     func() { F16ToF32(x, h[1:]) },
		"F32ToF16":     func() { F32ToF16(h, x[1:]) },
		"BF16ToF32":    func() { BF16ToF32(x, h[1:]) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("wrong lengths are taken")
				}
			}()
			f()
		})
	}
}

func normals(rng *rand.Rand, n int, spread float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * spread)
	}
	return x
}

// floats makes numbers of fuzzed bytes: any at all, or modest ones.
func floats(data []byte, modest bool) []float32 {
	x := make([]float32, len(data)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if a := math.Abs(float64(x[i])); modest && !(a > 1e-15 && a < 1e15) {
			x[i] = float32(i%7) - 3
		}
	}
	return x
}

func FuzzDot(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x := floats(data, true)
		n := len(x) / 2
		forEachTier(t, func(t *testing.T) { checkDot(t, x[:n], x[n:2*n]) })
	})
}

// FuzzElementwise compares the tiers with plain Go on any numbers at all: they
// must agree on what is finite, and about its value.
func FuzzElementwise(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, kernel uint8) {
		x := floats(data, false)
		n := len(x) / 3
		k := elementwise[int(kernel)%len(elementwise)]
		forEachTier(t, func(t *testing.T) {
			dst := slices.Clone(x[:n])
			k.run(dst, x[n:2*n], x[2*n:3*n])
			for i, got := range dst {
				want, terms := k.want(float64(x[i]), float64(x[n+i]), float64(x[2*n+i]))
				if terms > 1e37 || terms != terms || math.Abs(float64(x[n+i])) > 50 {
					continue // overflow, or beyond where sigmoids stay flat
				}
				if d := math.Abs(float64(got) - want); !(d <= k.tol*ulp*terms+1e-37) {
					t.Errorf("%s of %v, %v, %v: %v, want %v", k.name, x[i], x[n+i], x[2*n+i], got, want)
				}
			}
		})
	})
}

func FuzzSoftmax(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x := floats(data, true)
		for i := range x {
			x[i] = float32(math.Mod(float64(x[i]), 100))
		}
		forEachTier(t, func(t *testing.T) { checkSoftmax(t, x) })
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

func BenchmarkVector(b *testing.B) {
	const n = 1536
	x, y, dst, h := make([]float32, n), make([]float32, n), make([]float32, n), make([]uint16, n)
	for i := range x {
		x[i] = float32(i%17) - 8
	}
	logits := slices.Repeat(x, 32)
	ints := make([]int16, group*n)
	for _, k := range []struct {
		name  string
		bytes int
		run   func()
	}{
		{"Dot", 8 * n, func() { Dot(x, y) }},
		{"Add", 12 * n, func() { Add(dst, y) }},
		{"Axpy", 12 * n, func() { Axpy(dst, 0.5, y) }},
		{"RMSNorm", 12 * n, func() { RMSNorm(dst, x, y, 1e-5) }},
		{"RotateHalves", 8 * n, func() { RotateHalves(dst, x[:32], y[:32]) }},
		{"RotatePairs", 8 * n, func() { RotatePairs(dst, x[:32], y[:32]) }},
		{"SwiGLU", 12 * n, func() { SwiGLU(dst, x, y) }},
		{"GeGLU", 12 * n, func() { GeGLU(dst, x, y) }},
		{"Softmax", 16 * n, func() { Softmax(dst, x) }},
		{"F16ToF32", 6 * n, func() { F16ToF32(dst, h) }},
		{"F32ToF16", 6 * n, func() { F32ToF16(h, x) }},
		{"PackKey", 6 * n, func() { PackKey(ints, 3, x) }},
		{"PackValue", 6 * n, func() { PackValue(ints[:2*n], 1, x) }},
		{"Argmax", 4 * len(logits), func() { Argmax(logits) }},
	} {
		b.Run(fmt.Sprintf("%s/%s", Tier(), k.name), func(b *testing.B) {
			b.SetBytes(int64(k.bytes))
			for b.Loop() {
				k.run()
			}
		})
	}
}
