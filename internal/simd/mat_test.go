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

// testMatMul compares rows alone with double precision, and rows in batches of all kinds of sizes bit for bit with the same
// rows alone.
func testMatMul(t *testing.T, typ quant.Type, outs, cols int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(outs), uint64(cols)))
	src := randomTensor(rng, typ, outs, cols)
	before := slices.Clone(src)
	m := packed(typ, outs, cols, src)
	batches := []int{2, 3, 4, 5, 6, 7, 8, 9, 19, 32, 41, 133}
	most := slices.Max(batches)
	x := randomRows(rng, most, cols)
	alone := make([]float32, most*outs)
	for r := range most {
		a := actOf(m, x[r*cols:], 1)
		m.Mul(alone[r*outs:], outs, a, 0, 1, 0, m.Panels())
		if r < 8 {
			checkRow(t, typ, src, a.row(0), alone[r*outs:][:outs])
		}
	}
	for _, n := range batches {
		checkBatch(t, m, actOf(m, x, n), alone)
	}
	if !slices.Equal(src, before) {
		t.Fatal("packing changed the tensor")
	}
}

// actOf holds n rows of activations for a matrix.
func actOf(m *Mat, x []float32, n int) *Act {
	a := NewAct(n, m.Cols, m.Form())
	a.Reset(n, m.Cols)
	a.Set(x, m.Cols, 0, n)
	return a
}

// checkRow compares the products of a row with double precision.
func checkRow(t *testing.T, typ quant.Type, src []byte, x []float64, got []float32) {
	t.Helper()
	cols := len(x)
	w := make([]float32, len(got)*cols)
	quant.Dequantize(w, typ, src)
	for o, v := range got {
		want, magnitude := product(w[o*cols:][:cols], x)
		if bound := magnitude * float64(cols/32+2) * 0x1p-24; math.Abs(float64(v)-want) > bound {
			t.Fatalf("%dx%d: output %d: %v, want %v within %v", len(got), cols, o, v, want, bound)
		}
	}
}

// checkBatch multiplies all rows of a, between guards, and compares with the results of each row alone.
func checkBatch(t *testing.T, m *Mat, a *Act, alone []float32) {
	t.Helper()
	const guard = -12345
	stride := m.Rows + 3
	weights, activations := slices.Clone(m.data), slices.Clone(a.bytes)
	shift := a.Rows() % 7 // of dst against whole registers
	dst := slices.Repeat([]float32{guard}, a.Rows()*stride+shift)[shift:]
	m.Mul(dst, stride, a, 0, a.Rows(), 0, m.Panels())
	for i, got := range dst {
		want := float32(guard)
		if r, o := i/stride, i%stride; o < m.Rows {
			want = alone[r*m.Rows+o]
		}
		if math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("%dx%d, batch of %d: element %d: %v, alone %v", m.Rows, m.Cols, a.Rows(), i, got, want)
		}
	}
	if !slices.Equal(m.data, weights) || !slices.Equal(a.bytes, activations) {
		t.Fatal("a product changed what it read")
	}
}

// TestMatMulParts computes a product in parts, each in a buffer of its own.
func TestMatMulParts(t *testing.T) {
	const rows, cols, n = 100, 96, 21
	rng := rand.New(rand.NewPCG(3, 4))
	m := packed(quant.Q8_0, rows, cols, randomTensor(rng, quant.Q8_0, rows, cols))
	a := actOf(m, randomRows(rng, n, cols), n)
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

func TestMatTiersAgree(t *testing.T) {
	for _, typ := range matTypes() {
		const outs, cols, rows = 40, 768, 45
		rng := rand.New(rand.NewPCG(9, uint64(typ)))
		m := packed(typ, outs, cols, randomTensor(rng, typ, outs, cols))
		checkTiers(t, m, randomRows(rng, rows, cols), rows)
	}
}

// checkTiers compares the assembly of all tiers bit for bit, but for the bits of what is not a number.
func checkTiers(t *testing.T, m *Mat, x []float32, rows int) {
	t.Helper()
	var first []float32
	forEachTier(t, func(t *testing.T) {
		dst := make([]float32, rows*m.Rows)
		m.Mul(dst, m.Rows, actOf(m, x, rows), 0, rows, 0, m.Panels())
		if Tier() == tierGeneric {
			return // its sums are not fused
		}
		if first == nil {
			first = dst
		}
		for i, want := range first {
			if got := dst[i]; math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
				t.Fatalf("%v: element %d: %v in this tier, %v in another", m.Type, i, got, want)
			}
		}
	})
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
			dst := make([]float32, rows*outs)
			m.Mul(dst, outs, actOf(m, x, rows), 0, rows, 0, m.Panels())
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
		x := randomRows(rand.New(rand.NewPCG(uint64(rows), 1)), int(rows), cols)
		checkTiers(t, packed(typ, int(outs), cols, src), x, int(rows))
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
	a := actOf(m, randomRows(rng, rows, cols), rows)
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
