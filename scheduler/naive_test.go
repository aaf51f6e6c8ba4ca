package scheduler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
)

// naive is a paged cache as one would write it first: lists are searched, and
// the key of a published block is the whole text up to its end.
type naive struct {
	size int
	slab *kvcache.Slab
	refs []int
	free []int    // the one given back last is the last to be reused
	keys []string // of published blocks
}

// newNaive returns a cache of so many blocks of size positions.
func newNaive(t testing.TB, blocks, size int) *naive {
	slab, err := kvcache.NewSlab(fake.Shape, blocks, size, kvcache.I16)
	if err != nil {
		t.Fatal(err)
	}
	c := &naive{size: size, slab: slab, refs: make([]int, blocks), keys: make([]string, blocks)}
	for b := range blocks {
		c.free = append(c.free, b)
	}
	return c
}

func key(tokens []int32, salt string) string {
	var b strings.Builder
	b.WriteString(salt + "|")
	for _, t := range tokens {
		b.WriteRune(t)
	}
	return b.String()
}

func (c *naive) Open(tokens []int32, salt string) (kvcache.Region, int, error) {
	r := &region{c: c, salt: salt}
	for n := c.size; n < len(tokens); n += c.size {
		b := slices.Index(c.keys, key(tokens[:n], salt))
		if b < 0 {
			break
		}
		c.retain(b)
		r.blocks = append(r.blocks, b)
	}
	return r, len(r.blocks) * c.size, nil
}

func (c *naive) Need(n int) int { return (n + c.size - 1) / c.size * c.size }
func (c *naive) Free() int      { return len(c.free) * c.size }
func (c *naive) Limit() int     { return len(c.refs) * c.size }

func (c *naive) retain(b int) {
	if c.refs[b]++; c.refs[b] == 1 {
		i := slices.Index(c.free, b)
		c.free = slices.Delete(c.free, i, i+1)
	}
}

func (c *naive) release(b int) {
	if c.refs[b]--; c.refs[b] < 0 {
		panic("naive: block freed twice")
	} else if c.refs[b] == 0 {
		c.free = append(c.free, b)
	}
}

// region is the block table of one sequence.
type region struct {
	c      *naive
	salt   string
	blocks []int
}

func (r *region) Grow(n int) error {
	more := r.c.Need(n)/r.c.size - len(r.blocks)
	if more > len(r.c.free) {
		return fmt.Errorf("naive: %w", kvcache.ErrFull)
	}
	for range more {
		b := r.c.free[0]
		r.c.keys[b] = ""
		r.c.retain(b)
		r.blocks = append(r.blocks, b)
	}
	return nil
}

// Publish takes the block that another has published before, and gives its own
// back.
func (r *region) Publish(tokens []int32) {
	c := r.c
	for i, b := range r.blocks {
		end := (i + 1) * c.size
		if end > len(tokens) {
			return
		}
		k := key(tokens[:end], r.salt)
		switch have := slices.Index(c.keys, k); have {
		case b:
		case -1:
			c.keys[b] = k
		default:
			c.retain(have)
			c.release(b)
			r.blocks[i] = have
		}
	}
}

func (r *region) Close() {
	for _, b := range slices.Backward(r.blocks) {
		r.c.release(b)
	}
	r.c, r.blocks = nil, nil
}

func (r *region) Put(layer, pos int, k, v []float32) {
	r.c.slab.Put(r.blocks[pos/r.c.size], layer, pos%r.c.size, k, v)
}

func (r *region) Span(layer, head, pos int) kvcache.Span {
	return r.c.slab.Span(r.blocks[pos/r.c.size], layer, head, pos%r.c.size)
}
