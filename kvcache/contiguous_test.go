package kvcache_test

import (
	"math"
	"testing"

	"example.com/minillm/kvcache"
	"example.com/minillm/kvcache/kvcachetest"
)

// formats are all that rows can have.
var formats = []kvcache.Format{kvcache.I16, kvcache.F32, kvcache.Q8}

func TestContiguous(t *testing.T) {
	shape := kvcache.Shape{Layers: 2, Heads: 3, HeadDim: 18}
	for _, f := range formats {
		t.Run(f.String(), func(t *testing.T) {
			kvcachetest.Run(t, shape, func(t testing.TB) kvcache.Cache {
				c, err := kvcache.NewContiguous(shape, 4, 90, f)
				if err != nil {
					t.Fatal(err)
				}
				return c
			})
		})
	}
}

func TestContiguousIsLazy(t *testing.T) {
	shape := kvcache.Shape{Layers: 4, Heads: 4, HeadDim: 64}
	n := testing.AllocsPerRun(1, func() {
		if _, err := kvcache.NewContiguous(shape, 1000, 1<<20, kvcache.I16); err != nil { // 4 TB if it were taken
			t.Fatal(err)
		}
	})
	if n > 1 {
		t.Errorf("%v allocations before any sequence grows", n)
	}
}

func TestContiguousRefusesNonsense(t *testing.T) {
	good := kvcache.Shape{Layers: 1, Heads: 1, HeadDim: 4}
	for _, c := range []struct {
		name            string
		shape           kvcache.Shape
		seqs, positions int
		format          kvcache.Format
	}{
		{"no layers", kvcache.Shape{Layers: 0, Heads: 1, HeadDim: 4}, 1, 16, kvcache.I16},
		{"negative heads", kvcache.Shape{Layers: 1, Heads: -1, HeadDim: 4}, 1, 16, kvcache.I16},
		{"no sequences", good, 0, 16, kvcache.I16},
		{"no positions", good, 1, 0, kvcache.I16},
		{"unknown format", good, 1, 16, kvcache.Q8 + 1},
		{"no pairs", kvcache.Shape{Layers: 1, Heads: 1, HeadDim: 5}, 1, 16, kvcache.I16},
		{"no pairs of bytes", kvcache.Shape{Layers: 1, Heads: 1, HeadDim: 5}, 1, 16, kvcache.Q8},
		{"overflow", good, math.MaxInt, 1 << 20, kvcache.I16},
		{"overflow of rounding", good, 1, math.MaxInt, kvcache.I16},
	} {
		if _, err := kvcache.NewContiguous(c.shape, c.seqs, c.positions, c.format); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
	for _, blocks := range [][2]int{{0, 16}, {1, 0}, {1, 8}, {1, 24}, {math.MaxInt, 1 << 20}} {
		if _, err := kvcache.NewSlab(good, blocks[0], blocks[1], kvcache.I16); err == nil {
			t.Errorf("%d blocks of %d: no error", blocks[0], blocks[1])
		}
	}
}

// Put is called for every token in every layer.
func BenchmarkPut(b *testing.B) {
	shape := kvcache.Shape{Layers: 1, Heads: 3, HeadDim: 64}
	for _, f := range formats {
		b.Run(f.String(), func(b *testing.B) {
			r, row := region(b, shape, f), make([]float32, shape.Heads*shape.HeadDim)
			for i := range row {
				row[i] = float32(i) / 7
			}
			b.ReportAllocs()
			b.SetBytes(int64(shape.Bytes(f)))
			pos := 0
			for b.Loop() {
				r.Put(0, pos&1023, row, row)
				pos++
			}
		})
	}
}

func BenchmarkSpan(b *testing.B) {
	r := region(b, kvcache.Shape{Layers: 1, Heads: 3, HeadDim: 64}, kvcache.I16)
	n := 0
	for b.Loop() {
		n += r.Span(0, 1, 64).N
	}
	if n == 0 {
		b.Fatal("empty spans")
	}
}

func region(b testing.TB, shape kvcache.Shape, f kvcache.Format) kvcache.Region {
	c, err := kvcache.NewContiguous(shape, 1, 1024, f)
	if err != nil {
		b.Fatal(err)
	}
	r, _, err := c.Open(nil, "")
	if err == nil {
		err = r.Grow(1024)
	}
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// Put is called for every token in every layer of a step that must not allocate.
func TestPutDoesNotAllocate(t *testing.T) {
	shape := kvcache.Shape{Layers: 1, Heads: 2, HeadDim: 72}
	row := make([]float32, shape.Heads*shape.HeadDim)
	for _, f := range formats {
		r := region(t, shape, f)
		if n := testing.AllocsPerRun(100, func() { r.Put(0, 5, row, row) }); n != 0 {
			t.Errorf("%v: %v allocations", f, n)
		}
	}
}
