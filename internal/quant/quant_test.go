package quant

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSizes holds the layouts to ggml's: GGML_QUANT_SIZES of the gguf package.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		t             Type
		number        uint32
		name          string
		values, bytes int
	}{
		{F32, 0, "F32", 1, 4}, {F16, 1, "F16", 1, 2}, {BF16, 30, "BF16", 1, 2},
		{Q4_0, 2, "Q4_0", 32, 18}, {Q4_1, 3, "Q4_1", 32, 20}, {Q5_0, 6, "Q5_0", 32, 22}, {Q5_1, 7, "Q5_1", 32, 24},
		{Q8_0, 8, "Q8_0", 32, 34}, {Q4_K, 12, "Q4_K", 256, 144}, {Q5_K, 13, "Q5_K", 256, 176}, {Q6_K, 14, "Q6_K", 256, 210},
	} {
		if uint32(c.t) != c.number || c.t.String() != c.name || !c.t.Known() {
			t.Errorf("%v is number %d, known %v", c.t, c.t, c.t.Known())
		}
		if c.t.BlockSize() != c.values || c.t.BlockBytes() != c.bytes || c.t.RowBytes(512) != 512/c.values*c.bytes {
			t.Errorf("%v: %d values in %d bytes, rows of 512 in %d", c.t, c.t.BlockSize(), c.t.BlockBytes(), c.t.RowBytes(512))
		}
	}
}

func TestUnknown(t *testing.T) {
	known := 0
	for i := range uint32(100) {
		if Type(i).Known() {
			known++
		}
	}
	if known != 11 || Type(math.MaxUint32).Known() {
		t.Errorf("%d formats are known, and the last number: %v", known, Type(math.MaxUint32).Known())
	}
	if s := Type(11).String(); s != "Q3_K" {
		t.Errorf("format 11 is called %q", s)
	}
	if s := Type(99).String(); s != "type 99" {
		t.Errorf("format 99 is called %q", s)
	}
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"is not decoded":           func() { Type(11).BlockSize() },
		"33 values are not whole":  func() { Q4_0.RowBytes(33) },
		"-32 values are not whole": func() { Q4_0.RowBytes(-32) },
		"take 18 bytes, not 17":    func() { Dequantize(make([]float32, 32), Q4_0, make([]byte, 17)) },
		"take 36 bytes, not 18":    func() { Quantize(make([]byte, 18), Q4_0, make([]float32, 64)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r, _ := recover().(string); !strings.Contains(r, name) {
					t.Errorf("panic %q", r)
				}
			}()
			f()
		})
	}
}

// TestError bounds what quantising loses of normal values, relative to their deviation, from above and from below:
// a format that loses much less than its bits allow is not what it says.
func TestError(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	src := make([]float32, 16*256)
	for i := range src {
		src[i] = float32(r.NormFloat64())
	}
	for _, c := range []struct {
		t      Type
		lo, hi float64
	}{
		{F32, 0, 0}, {F16, 1e-4, 3e-4}, {BF16, 1e-3, 2.5e-3}, {Q8_0, 4e-3, 7e-3},
		{Q4_0, 0.07, 0.1}, {Q4_1, 0.06, 0.09}, {Q5_0, 0.03, 0.05}, {Q5_1, 0.03, 0.045},
		{Q4_K, 0.05, 0.075}, {Q5_K, 0.025, 0.037}, {Q6_K, 0.012, 0.022},
	} {
		if e := lost(c.t, src); e < c.lo || e > c.hi {
			t.Errorf("%v loses %.5f, expected %v to %v", c.t, e, c.lo, c.hi)
		}
	}
}

// lost is the root of the mean squared error of quantising src.
func lost(t Type, src []float32) float64 {
	raw, back := make([]byte, t.RowBytes(len(src))), make([]float32, len(src))
	Quantize(raw, t, src)
	Dequantize(back, t, raw)
	var sum float64
	for i := range src {
		d := float64(back[i]) - float64(src[i])
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(src)))
}

// TestBlocks quantises what has few values or one sign: the search for scales must not stumble.
func TestBlocks(t *testing.T) {
	for name, at := range map[string]func(i int) float32{
		"zeros":    func(int) float32 { return 0 },
		"one":      func(int) float32 { return 1 },
		"minus":    func(int) float32 { return -1 },
		"signs":    func(i int) float32 { return float32(i%2*2 - 1) },
		"positive": func(i int) float32 { return 1 + float32(i%16)/16 },
		"negative": func(i int) float32 { return -1 - float32(i%16)/16 },
		"one spot": func(i int) float32 { return float32(i / 255) },
		"tiny":     func(i int) float32 { return float32(i-128) * 1e-9 },
	} {
		src := make([]float32, 256)
		for i := range src {
			src[i] = at(i)
		}
		for i := range formats {
			if typ := Type(i); typ.Known() {
				if e := lost(typ, src); !(e < 0.09) {
					t.Errorf("%v loses %v of %s", typ, e, name)
				}
			}
		}
	}
}

// TestScaleMin packs every value of the 6-bit scales and minima at every place.
func TestScaleMin(t *testing.T) {
	for v := range 64 {
		var b [12]byte
		for s := range 8 {
			putScaleMin(b[:], s, byte((v+s*9)%64), byte((v+s*7+31)%64))
		}
		for s := range 8 {
			sc, m := scaleMin(b[:], s)
			if sc != byte((v+s*9)%64) || m != byte((v+s*7+31)%64) {
				t.Fatalf("sub-block %d of %v: %d, %d", s, b, sc, m)
			}
		}
	}
}

// FuzzDequantize feeds arbitrary blocks: every one decodes, and what decodes to finite values can be quantised.
func FuzzDequantize(f *testing.F) {
	f.Add(uint32(Q6_K), bytes.Repeat([]byte{0x5a}, 210))
	f.Add(uint32(Q4_1), bytes.Repeat([]byte{0xff}, 40))
	f.Fuzz(func(t *testing.T, kind uint32, src []byte) {
		typ := Type(kind)
		if !typ.Known() {
			return
		}
		blocks := len(src) / typ.BlockBytes()
		src = src[:blocks*typ.BlockBytes()]
		dst := make([]float32, blocks*typ.BlockSize())
		Dequantize(dst, typ, src)
		Quantize(make([]byte, len(src)), typ, dst)
	})
}

func BenchmarkDequantize(b *testing.B) {
	dst := make([]float32, 4096)
	for i := range formats {
		if typ := Type(i); typ.Known() {
			b.Run(typ.String(), func(b *testing.B) {
				src := make([]byte, typ.RowBytes(len(dst)))
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					Dequantize(dst, typ, src)
				}
			})
		}
	}
}
