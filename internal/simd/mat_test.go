package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"example.com/minillm/internal/quant"
)

// matTypes are the formats in the order of their numbers.
func matTypes() []quant.Type {
	var types []quant.Type
	for t := range matLayouts {
		types = append(types, t)
	}
	slices.Sort(types)
	return types
}

// alignedBytes returns n bytes that begin at a multiple of 64.
func alignedBytes(n int) []byte {
	b := make([]byte, n+63)
	skip := -uintptr(unsafe.Pointer(&b[0])) & 63
	return b[skip:][:n:n]
}

// randomTensor returns rows of weights as a file has them.
func randomTensor(rng *rand.Rand, t quant.Type, rows, cols int) []byte {
	values := make([]float32, rows*cols)
	for i := range values {
		values[i] = float32(rng.NormFloat64() + 0.3)
	}
	src := make([]byte, t.RowBytes(len(values)))
	quant.Quantize(src, t, values)
	return src
}

func packed(t quant.Type, rows, cols int, src []byte) *Mat {
	buf := alignedBytes(MatBytes(t, rows, cols))
	for i := range buf {
		buf[i] = 0xa5 // memory may have been used before
	}
	m := NewMat(t, rows, cols, buf)
	m.Pack(src, 0, m.Panels())
	return m
}

func randomRows(rng *rand.Rand, rows, cols int) []float32 {
	x := make([]float32, rows*cols)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * math.Exp(rng.NormFloat64()))
	}
	return x
}

// product is w·x in double precision, and a bound of the magnitudes added up in it: products of scales and of minimums can
// be larger than those of the weights.
func product(w []float32, x []float64) (sum, magnitude float64) {
	var most, total float64
	for i, v := range x {
		sum += float64(w[i]) * v
		most = max(most, math.Abs(float64(w[i])))
		total += math.Abs(v)
	}
	return sum, 3 * most * total
}

// row is a row of activations as the bytes and scales give it.
func (a *Act) row(r int) []float64 {
	x := make([]float64, a.cols)
	first, height := tileOf(a.rows, r)
	if a.forms == Floats {
		for i := range x {
			x[i] = float64(a.floats[first*a.wide+i*height+r-first])
		}
		return x
	}
	bytes := a.bytes[first*a.blocks*actBytes:]
	for i := range x {
		block := bytes[i/32*height*actBytes:]
		scale := math.Float32frombits(le32(block[32*height+4*(r-first):]))
		x[i] = float64(int8(block[32*(r-first)+i%32])) * float64(scale)
	}
	return x
}

func le32(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func TestMatMul(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		for _, typ := range matTypes() {
			t.Run(typ.String(), func(t *testing.T) {
				block := typ.BlockSize()
				for _, cols := range []int{block, 3 * block, 1152 / block * block} {
					for _, rows := range []int{1, 33} {
						testMatMul(t, typ, rows, cols)
					}
				}
			})
		}
	})
}

// testMatMul multiplies batches of all small sizes, and compares with double precision, and bit for bit with each
// row alone.
func testMatMul(t *testing.T, typ quant.Type, rows, cols int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	src := randomTensor(rng, typ, rows, cols)
	w := make([]float32, rows*cols)
	quant.Dequantize(w, typ, src)
	m := packed(typ, rows, cols, src)
	const most = 133
	batches := []int{2, 3, 4, 5, 6, 7, 8, 9, 19, 32, 41, most}
	x := randomRows(rng, most, cols)
	alone := make([]float32, most*rows)
	a := NewAct(most, cols, m.Form())
	for r := range most {
		a.Reset(1, cols)
		a.Set(x[r*cols:], cols, 0, 1)
		m.Mul(alone[r*rows:], rows, a, 0, 1, 0, m.Panels())
		for o := range rows {
			if r > 10 {
				break // enough compared with double precision
			}
			want, magnitude := product(w[o*cols:][:cols], a.row(0))
			got := float64(alone[r*rows+o])
			if bound := magnitude * float64(cols/32+2) * 0x1p-24; math.Abs(got-want) > bound {
				t.Fatalf("%dx%d: row %d, output %d: %v, want %v within %v", rows, cols, r, o, got, want, bound)
			}
		}
	}
	for _, n := range batches {
		a.Reset(n, cols)
		a.Set(x, cols, 0, n)
		stride := rows + 3
		dst := make([]float32, n*stride)
		for i := range dst {
			dst[i] = -12345
		}
		m.Mul(dst, stride, a, 0, n, 0, m.Panels())
		for i, got := range dst {
			want := float32(-12345)
			if r, o := i/stride, i%stride; o < rows {
				want = alone[r*rows+o]
			}
			if math.Float32bits(got) != math.Float32bits(want) {
				t.Fatalf("%dx%d, batch of %d: element %d: %v, alone %v", rows, cols, n, i, got, want)
			}
		}
	}
}

// TestMatMulParts computes a product in parts, each in a buffer of its own.
func TestMatMulParts(t *testing.T) {
	const rows, cols, n = 100, 96, 21
	rng := rand.New(rand.NewPCG(3, 4))
	m := packed(quant.Q8_0, rows, cols, randomTensor(rng, quant.Q8_0, rows, cols))
	a := NewAct(n, cols, m.Form())
	a.Reset(n, cols)
	a.Set(randomRows(rng, n, cols), cols, 0, n)
	whole := make([]float32, n*rows)
	m.Mul(whole, rows, a, 0, n, 0, m.Panels())
	for _, r := range [][2]int{{0, 8}, {8, n}, {16, n}} {
		for p := range m.Panels() {
			end := min(p+2, m.Panels())
			width := min(end*MatRows, rows) - p*MatRows
			part := make([]float32, (r[1]-r[0])*width)
			m.Mul(part, width, a, r[0], r[1], p, end)
			for i, got := range part {
				if want := whole[(r[0]+i/width)*rows+p*MatRows+i%width]; got != want {
					t.Fatalf("rows %v, panel %d: element %d is %v, not %v", r, p, i, got, want)
				}
			}
		}
	}
}

// TestMatTiersAgree compares the assembly of all tiers bit for bit.
func TestMatTiersAgree(t *testing.T) {
	for _, typ := range matTypes() {
		const outs, cols, rows = 40, 768, 15
		rng := rand.New(rand.NewPCG(9, uint64(typ)))
		m := packed(typ, outs, cols, randomTensor(rng, typ, outs, cols))
		x := randomRows(rng, rows, cols)
		var first []float32
		forEachTier(t, func(t *testing.T) {
			if Tier() == tierGeneric {
				return
			}
			a := NewAct(rows, cols, m.Form())
			a.Reset(rows, cols)
			a.Set(x, cols, 0, rows)
			dst := make([]float32, rows*outs)
			m.Mul(dst, outs, a, 0, rows, 0, m.Panels())
			if first == nil {
				first = dst
			}
			for i := range dst {
				if math.Float32bits(dst[i]) != math.Float32bits(first[i]) {
					t.Fatalf("%v: element %d: %v in this tier, %v in another", typ, i, dst[i], first[i])
				}
			}
		})
	}
}

// TestMatNotFinite says that what is not a number shows in the rows that have it, and in no other.
func TestMatNotFinite(t *testing.T) {
	forEachTier(t, func(t *testing.T) {
		for _, typ := range matTypes() {
			const outs, cols, rows = 16, 512, 9
			rng := rand.New(rand.NewPCG(3, uint64(typ)))
			m := packed(typ, outs, cols, randomTensor(rng, typ, outs, cols))
			x := randomRows(rng, rows, cols)
			x[2*cols+77], x[5*cols+300] = float32(math.NaN()), float32(math.Inf(-1))
			a := NewAct(rows, cols, m.Form())
			a.Reset(rows, cols)
			a.Set(x, cols, 0, rows)
			dst := make([]float32, rows*outs)
			m.Mul(dst, outs, a, 0, rows, 0, m.Panels())
			for i, v := range dst {
				r := i / outs
				if finite := v-v == 0; finite != (r != 2 && r != 5) {
					t.Errorf("%v: row %d, output %d: %v", typ, r, i%outs, v)
				}
			}
		}
	})
}

// FuzzMat multiplies weights of any bits, and compares the tiers.
func FuzzMat(f *testing.F) {
	for i := range matTypes() {
		f.Add(uint8(i), uint8(3), uint8(i), []byte("some bits of a block of weights, of any format"))
	}
	f.Fuzz(func(t *testing.T, kind, outs, rows uint8, bits []byte) {
		typ := matTypes()[int(kind)%len(matTypes())]
		if outs == 0 || rows == 0 || len(bits) == 0 {
			return
		}
		cols := 2 * typ.BlockSize()
		src := make([]byte, int(outs)*typ.RowBytes(cols))
		for i := range src {
			src[i] = bits[i%len(bits)]
		}
		m := packed(typ, int(outs), cols, src)
		x := randomRows(rand.New(rand.NewPCG(uint64(rows), 1)), int(rows), cols)
		var first []float32
		forEachTier(t, func(t *testing.T) {
			a := NewAct(int(rows), cols, m.Form())
			a.Reset(int(rows), cols)
			a.Set(x, cols, 0, int(rows))
			dst := make([]float32, int(rows)*int(outs))
			m.Mul(dst, int(outs), a, 0, int(rows), 0, m.Panels())
			if Tier() == tierGeneric {
				return
			}
			if first == nil {
				first = dst
			}
			for i, w := range first {
				if g := dst[i]; g != w && (g == g || w == w) {
					t.Fatalf("%v: element %d: %v in this tier, %v in another", typ, i, g, w)
				}
			}
		})
	})
}

// BenchmarkMat reports the fastest of its rounds, because the machines that it runs on are shared. The matrix lies in the
// cache.
func BenchmarkMat(b *testing.B) {
	for _, typ := range matTypes() {
		for _, rows := range []int{1, 2, 4, 8, 16, 128} {
			b.Run(fmt.Sprintf("%v/rows=%d", typ, rows), func(b *testing.B) { benchmarkMat(b, typ, rows) })
		}
	}
}

func benchmarkMat(b *testing.B, typ quant.Type, rows int) {
	const outs, cols = 256, 768
	rng := rand.New(rand.NewPCG(1, 2))
	m := packed(typ, outs, cols, randomTensor(rng, typ, outs, cols))
	a := NewAct(rows, cols, m.Form())
	a.Reset(rows, cols)
	a.Set(randomRows(rng, rows, cols), cols, 0, rows)
	dst := make([]float32, rows*outs)
	best := time.Hour
	for b.Loop() {
		start := time.Now()
		m.Mul(dst, outs, a, 0, rows, 0, m.Panels())
		best = min(best, time.Since(start))
	}
	b.ReportMetric(2*outs*cols*float64(rows)/best.Seconds()/1e9, "GOPS")
	b.ReportMetric(float64(m.Bytes())/best.Seconds()/1e9, "GB/s")
}

func BenchmarkMatPack(b *testing.B) {
	for _, typ := range matTypes() {
		b.Run(typ.String(), func(b *testing.B) {
			const outs, cols = 256, 768
			src := randomTensor(rand.New(rand.NewPCG(1, 2)), typ, outs, cols)
			m := NewMat(typ, outs, cols, alignedBytes(MatBytes(typ, outs, cols)))
			best := time.Hour
			for b.Loop() {
				start := time.Now()
				m.Pack(src, 0, m.Panels())
				best = min(best, time.Since(start))
			}
			b.ReportMetric(outs*cols/best.Seconds()/1e9, "Gweights/s")
			b.ReportMetric(float64(len(src))/best.Seconds()/1e9, "GB/s")
		})
	}
}
