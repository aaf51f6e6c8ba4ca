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
	{"ShiftScale", func(dst, x, _ []float32) { ShiftScale(dst, x, 0.4, 1.7) },
		func(_, x, _ float64) (float64, float64) {
			shift, a := float64(float32(0.4)), float64(float32(1.7))
			return (x - shift) * a, (math.Abs(x) + shift) * a
		}, 2},
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

func TestLengthsAreChecked(t *testing.T) {
	x := make([]float32, 8)
	for name, f := range map[string]func(){
		"Dot":          func() { Dot(x, x[1:]) },
		"Add":          func() { Add(x, x[1:]) },
		"Axpy":         func() { Axpy(x, 1, x[1:]) },
		"RMSNorm":      func() { RMSNorm(x, x, x[1:], 0) },
		"RotateHalves": func() { RotateHalves(x, x[:3], x[:3]) },
		"RotatePairs":  func() { RotatePairs(x, x[:2], x[:3]) },
		"SwiGLU":       func() { SwiGLU(x, x, x[1:]) },
		"GeGLU":        func() { GeGLU(x, x[1:], x) },
		"ExpSum":       func() { ExpSum(x, x[1:], 0) },
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

func TestMul(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(19, 20))
		for _, n := range lengths {
			x, y := normals(rng, n, 1), normals(rng, n, 1)
			got := slices.Clone(x)
			Mul(got, y)
			for i := range got {
				if want := x[i] * y[i]; got[i] != want {
					t.Fatalf("%d numbers: %v times %v is %v, want %v", n, x[i], y[i], got[i], want)
				}
			}
		}
	})
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

func BenchmarkVector(b *testing.B) {
	const n = 1536
	x, y, dst := make([]float32, n), make([]float32, n), make([]float32, n)
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
		{"ExpSum", 8 * n, func() { ExpSum(dst, x, 8) }},
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
