package kvcache_test

import (
	"testing"

	"example.com/minillm/kvcache"
)

// TestCloseOfSlab uses what was closed: that panics, where memory that is gone
// would end the process.
func TestCloseOfSlab(t *testing.T) {
	shape := kvcache.Shape{Layers: 1, Heads: 1, HeadDim: 64}
	row := make([]float32, shape.HeadDim)
	for _, f := range formats {
		s, err := kvcache.NewSlab(shape, 1, 1<<15, f) // larger than a huge page
		if err != nil {
			t.Fatal(err)
		}
		s.Put(0, 0, 1<<15-1, row, row)
		s.Close()
		s.Close()
		for name, use := range map[string]func(){
			"Put":  func() { s.Put(0, 0, 0, row, row) },
			"Span": func() { s.Span(0, 0, 0, 0) },
		} {
			if !panics(use) {
				t.Errorf("%v: %s works after Close", f, name)
			}
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func TestCloseOfContiguous(t *testing.T) {
	shape := kvcache.Shape{Layers: 1, Heads: 1, HeadDim: 64}
	c, err := kvcache.NewContiguous(shape, 2, 1<<15, kvcache.I16)
	if err != nil {
		t.Fatal(err)
	}
	r, _, _ := c.Open(nil, "")
	if err := r.Grow(1); err != nil {
		t.Fatal(err)
	}
	r.Close()
	c.Close()
	c.Close()
	if c.Free() != 0 {
		t.Errorf("%d positions are free after Close", c.Free())
	}
}
