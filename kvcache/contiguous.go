package kvcache

import (
	"fmt"
	"math"
)

// Contiguous is the simplest [Cache]: every sequence has a slab of its own, as
// long as the longest sequence may be. Attention sees one span per head and
// nothing is shared; what a short sequence leaves of its slab is wasted. It is
// right for one sequence or a few, and the reference for caches that page.
//
// Like every Cache it belongs to the goroutine that schedules.
type Contiguous struct {
	shape     Shape
	format    Format
	positions int     // of one sequence
	size      int     // positions rounded up to whole groups
	unmade    int     // slabs that nobody has needed yet
	spare     []*Slab // slabs given back; the last one is the warmest
}

// NewContiguous returns a cache for seqs sequences of up to positions
// positions. Memory is taken when a sequence first grows, and kept for the next.
func NewContiguous(shape Shape, seqs, positions int, f Format) (*Contiguous, error) {
	if err := shape.validate(f); err != nil {
		return nil, err
	}
	if seqs < 1 || positions < 1 {
		return nil, fmt.Errorf("kvcache: %d sequences of %d positions: each must be at least 1", seqs, positions)
	}
	size := (min(positions, math.MaxInt-Group) + Group - 1) / Group * Group
	if all := float64(seqs) * float64(size); all > math.MaxInt-Group || all*float64(shape.Bytes(f)) > maxBytes {
		return nil, fmt.Errorf("kvcache: %d sequences of %d positions: more than any machine has", seqs, positions)
	}
	return &Contiguous{shape: shape, format: f, positions: positions, size: size, unmade: seqs}, nil
}

// Open returns an empty region. Nothing is ever shared, so n is 0.
func (c *Contiguous) Open(tokens []int32, salt string) (r Region, n int, err error) {
	return &contiguous{cache: c}, 0, nil
}

// Need returns the length of a slab: that is what a sequence of any length takes.
func (c *Contiguous) Need(n int) int {
	if n <= 0 {
		return 0
	}
	return max(n, c.size) // more than a slab can only be refused
}

// Free returns how many positions the slabs that nobody has hold.
func (c *Contiguous) Free() int { return (c.unmade + len(c.spare)) * c.size }

// Limit returns the positions that NewContiguous was given.
func (c *Contiguous) Limit() int { return c.positions }

// Close gives the memory back. Regions are closed before; without it, that
// happens some time after nobody can reach the cache any more. It may be called
// more than once.
func (c *Contiguous) Close() {
	for _, s := range c.spare {
		s.Close()
	}
	c.spare, c.unmade = nil, 0
}

func (c *Contiguous) take() (*Slab, error) {
	if last := len(c.spare) - 1; last >= 0 {
		s := c.spare[last]
		c.spare = c.spare[:last]
		return s, nil
	}
	if c.unmade == 0 {
		return nil, fmt.Errorf("%w: every slab has a sequence", ErrFull)
	}
	s, err := NewSlab(c.shape, 1, c.size, c.format)
	if err == nil {
		c.unmade--
	}
	return s, err
}

// contiguous is the region of one sequence. The slab comes with the first Grow.
type contiguous struct {
	cache *Contiguous
	slab  *Slab
}

func (r *contiguous) Grow(n int) error {
	if n > r.cache.positions {
		return fmt.Errorf("%w: %d positions, where a sequence can have %d", ErrFull, n, r.cache.positions)
	}
	if n <= 0 || r.slab != nil {
		return nil
	}
	s, err := r.cache.take()
	r.slab = s
	return err
}

func (r *contiguous) Put(layer, pos int, k, v []float32) { r.slab.Put(0, layer, pos, k, v) }

func (r *contiguous) Span(layer, head, pos int) Span { return r.slab.Span(0, layer, head, pos) }

func (r *contiguous) Publish(tokens []int32) {}

func (r *contiguous) Close() {
	if r.cache == nil {
		panic("kvcache: region closed twice")
	}
	if r.slab != nil {
		r.cache.spare = append(r.cache.spare, r.slab)
	}
	*r = contiguous{}
}
