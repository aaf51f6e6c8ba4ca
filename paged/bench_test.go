package paged

import (
	"fmt"
	"testing"

	"example.com/minillm/kvcache"
)

const million = 1 << 20

// A small model's shape; a pool of a million blocks of it would be 740 GB, so
// what counts blocks uses rows of one number.
var (
	smol = kvcache.Shape{Layers: 30, Heads: 3, HeadDim: 64}
	tiny = kvcache.Shape{Layers: 1, Heads: 1, HeadDim: 1}
)

// The first one takes 15 ms and next to no memory: the pages are untouched. Later
// ones are slower where Go gives them memory that it must zero.
func BenchmarkNewMillionBlocks(b *testing.B) {
	for b.Loop() {
		mustNew(b, tiny, Options{Positions: million * DefaultBlock})
	}
}

func BenchmarkAllocRelease(b *testing.B) {
	a := NewAllocator(million)
	ids, _ := a.Alloc(nil, 3*million/4)
	for _, id := range ids {
		a.Release(id)
	}
	b.ReportAllocs()
	for b.Loop() {
		ids, _ = a.Alloc(ids[:0], 32)
		for _, id := range ids {
			a.Release(id)
		}
	}
	perBlock(b, 32)
}

func perBlock(b *testing.B, blocks int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(blocks), "ns/block")
}

// full returns a cache of n blocks, all free and findable.
func full(b *testing.B, n int) *Cache {
	c := mustNew(b, tiny, Options{Positions: n * DefaultBlock})
	const each = 128
	tokens := make([]int32, each*DefaultBlock)
	for i := range n / each {
		tokens[0] = int32(i)
		s := open(b, c, nil, "")
		if err := s.Grow(len(tokens)); err != nil {
			b.Fatal(err)
		}
		s.Publish(tokens)
		s.Close()
	}
	if got := c.Stats().Cached; got != n {
		b.Fatalf("%d of %d blocks are findable", got, n)
	}
	return c
}

// A prompt of 1,000 tokens, all of whose blocks are found among a million.
func BenchmarkOpenHit(b *testing.B) {
	c := full(b, million)
	prompt := make([]int32, 1000)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		prompt[0] = int32(i % (million / 128))
		i++
		r, n, _ := c.Open(prompt, "")
		if n < 1000-DefaultBlock {
			b.Fatalf("found %d", n)
		}
		r.Close()
	}
	perBlock(b, 1000/DefaultBlock)
}

// Blocks are taken from those that can be found, published anew and given back.
func BenchmarkGrowPublishClose(b *testing.B) {
	c := full(b, million)
	prompt := make([]int32, 32*DefaultBlock)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		prompt[0]--
		i++
		r, _, _ := c.Open(nil, "")
		if err := r.Grow(len(prompt)); err != nil {
			b.Fatal(err)
		}
		r.Publish(prompt)
		r.Close()
	}
	perBlock(b, 32)
}

// Publish comes after every step with all tokens, of which one is new.
func BenchmarkPublishDecode(b *testing.B) {
	c := mustNew(b, tiny, Options{Positions: 1 << 16})
	tokens := make([]int32, 1<<16)
	r, _, _ := c.Open(nil, "")
	if err := r.Grow(len(tokens)); err != nil {
		b.Fatal(err)
	}
	r.Publish(tokens[:50000])
	b.ReportAllocs()
	for b.Loop() {
		r.Publish(tokens[:50010])
	}
}

func BenchmarkPut(b *testing.B) {
	for _, f := range []kvcache.Format{kvcache.I16, kvcache.F32, kvcache.Q8} {
		b.Run(f.String(), func(b *testing.B) {
			c := mustNew(b, smol, Options{Positions: 2048, Format: f})
			r, _, _ := c.Open(nil, "")
			if err := r.Grow(2048); err != nil {
				b.Fatal(err)
			}
			row := make([]float32, smol.Heads*smol.HeadDim)
			for i := range row {
				row[i] = float32(i) / 7
			}
			n := 0
			b.ReportAllocs()
			b.SetBytes(int64(smol.Bytes(f) / smol.Layers))
			for b.Loop() {
				r.Put(n%smol.Layers, n/smol.Layers%2048, row, row)
				n++
			}
		})
	}
}

// A walk over the spans of one head of 4,096 positions.
func BenchmarkSpan(b *testing.B) {
	for _, size := range []int{16, 32, 64, 128} {
		b.Run(fmt.Sprintf("block=%d", size), func(b *testing.B) {
			c := mustNew(b, tiny, Options{Positions: 4096, Block: size})
			r, _, _ := c.Open(nil, "")
			if err := r.Grow(4096); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				for pos := 0; pos < 4096; {
					pos += r.Span(0, 0, pos).N
				}
			}
			perBlock(b, 4096/size)
		})
	}
}

func BenchmarkStats(b *testing.B) {
	c := mustNew(b, tiny, Options{Positions: million * DefaultBlock})
	for b.Loop() {
		if c.Stats().Blocks != million {
			b.Fatal("blocks are missing")
		}
	}
}
