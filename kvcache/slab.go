package kvcache

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"example.com/minillm/internal/mmap"
	"example.com/minillm/internal/simd"
)

// Bytes returns how many bytes one position takes in format f: a key and a
// value for every head of every layer, scales included.
func (s Shape) Bytes(f Format) int {
	return 2 * s.Layers * s.Heads * f.rowBytes(s.HeadDim)
}

// validate finds what keeps rows of the shape from being stored in format f.
func (s Shape) validate(f Format) error {
	switch {
	case s.Layers < 1 || s.Heads < 1 || s.HeadDim < 1:
		return fmt.Errorf("kvcache: %d layers of %d heads of %d numbers: each must be at least 1", s.Layers, s.Heads, s.HeadDim)
	case f > Q8:
		return fmt.Errorf("kvcache: unknown row format %v", f)
	case f != F32 && s.HeadDim%2 != 0:
		return fmt.Errorf("kvcache: rows of %d numbers do not fit format %v, which has pairs", s.HeadDim, f)
	}
	return nil
}

// Slab is the storage that keepers of this contract are made of: blocks of the
// same number of positions, each [layer][head][position][dim], so that what one
// head of one layer has in one block is dense. [Contiguous] gives each sequence
// a slab of one long block; a paged cache has one slab of many short ones.
//
// The memory is zeroed pages outside Go's heap, which the operating system
// hands out when they are first written: a large slab costs little until it is
// used, and the garbage collector does not count it.
//
// Put and Span may be called concurrently, for different positions or heads.
type Slab struct {
	shape  Shape
	format Format
	size   int // positions in a block

	// As the fields of Span, [block][layer][head][size*HeadDim].
	k32, v32 []float32
	k16, v16 []int16
	k8, v8   []int8
	ks, vs   []float32 // [block][layer][head][size]

	free    func()
	cleanup runtime.Cleanup // frees if Close does not
}

// maxBytes keeps sizes away from where make panics and products overflow.
const maxBytes = 1 << 46

// NewSlab returns room for blocks of size positions, a multiple of [Group].
func NewSlab(shape Shape, blocks, size int, f Format) (*Slab, error) {
	if err := shape.validate(f); err != nil {
		return nil, err
	}
	if blocks < 1 || size < 1 || size%Group != 0 {
		return nil, fmt.Errorf("kvcache: %d blocks of %d positions: want at least one, and a multiple of %d", blocks, size, Group)
	}
	rows := float64(blocks) * float64(size) * float64(shape.Layers) * float64(shape.Heads)
	if bytes := 2 * rows * float64(f.rowBytes(shape.HeadDim)); bytes > min(maxBytes, math.MaxInt) {
		return nil, fmt.Errorf("kvcache: %d blocks of %d positions take %.3g bytes: more than any machine has", blocks, size, bytes)
	}
	s := &Slab{shape: shape, format: f, size: size}
	if err := s.reserve(int(rows)); err != nil {
		return nil, err
	}
	return s, nil
}

// reserve takes the memory, in one piece.
func (s *Slab) reserve(rows int) error {
	n := rows * s.shape.HeadDim
	bytes := 2 * rows * s.format.rowBytes(s.shape.HeadDim)
	b, free, err := mmap.Zeros(bytes)
	if err != nil {
		return fmt.Errorf("kvcache: %d bytes for keys and values: %w", bytes, err)
	}
	s.free, s.cleanup = free, runtime.AddCleanup(s, func(free func()) { free() }, free)
	switch s.format {
	case F32:
		s.k32, s.v32 = take[float32](&b, n), take[float32](&b, n)
		return nil
	case I16:
		s.k16, s.v16 = take[int16](&b, n), take[int16](&b, n)
	case Q8:
		s.k8, s.v8 = take[int8](&b, n), take[int8](&b, n)
	}
	s.ks, s.vs = take[float32](&b, rows), take[float32](&b, rows)
	return nil
}

// take cuts n numbers off the front of b. All sizes are multiples of Group, so
// every piece begins where its numbers may.
func take[T int8 | int16 | float32](b *[]byte, n int) []T {
	first := (*T)(unsafe.Pointer(unsafe.SliceData(*b)))
	*b = (*b)[n*int(unsafe.Sizeof(*first)):]
	return unsafe.Slice(first, n)
}

// Close gives the memory back, which must not be in use. Without it, that
// happens some time after nobody can reach the slab any more. It may be called
// more than once.
func (s *Slab) Close() {
	if s.free == nil {
		return
	}
	s.cleanup.Stop()
	s.free()
	*s = Slab{shape: s.shape, format: s.format, size: s.size} // use by mistake panics, it does not fault
}

// row returns the number of the first row of a head of a layer in a block.
func (s *Slab) row(block, layer, head int) int {
	return ((block*s.shape.Layers+layer)*s.shape.Heads + head) * s.size
}

// Put stores the key and value rows of position pos of a block in layer, each
// [Heads][HeadDim].
func (s *Slab) Put(block, layer, pos int, k, v []float32) {
	dim := s.shape.HeadDim
	if len(k) != s.shape.Heads*dim || len(v) != len(k) {
		panic("kvcache: Put: a row has the wrong length")
	}
	for h := range s.shape.Heads {
		s.put(s.row(block, layer, h), pos, k[h*dim:(h+1)*dim], v[h*dim:(h+1)*dim])
	}
	runtime.KeepAlive(s) // its memory goes with it
}

// put stores the rows of one head, which begin with row number first.
func (s *Slab) put(first, pos int, k, v []float32) {
	dim, at := len(k), first+pos
	group, pair := (at-pos%Group)*dim, (at-pos%2)*dim
	switch s.format {
	case F32:
		copy(s.k32[at*dim:(at+1)*dim], k)
		copy(s.v32[at*dim:(at+1)*dim], v)
	case I16:
		s.ks[at] = simd.PackKey(s.k16[group:group+Group*dim], pos%Group, k)
		s.vs[at] = simd.PackValue(s.v16[pair:pair+2*dim], pos%2, v)
	case Q8:
		s.ks[at] = simd.PackKey8(s.k8[group:group+Group*dim], pos%Group, k)
		s.vs[at] = simd.PackValue8(s.v8[pair:pair+2*dim], pos%2, v)
	}
}

// Span returns the stretch of a head of a layer from position pos, a multiple
// of [Group], to the end of the block.
func (s *Slab) Span(block, layer, head, pos int) Span {
	if pos%Group != 0 {
		panic("kvcache: Span: not at a multiple of Group")
	}
	first := s.row(block, layer, head)
	from, to := first+pos, first+s.size
	lo, hi := from*s.shape.HeadDim, to*s.shape.HeadDim
	span := Span{N: to - from}
	switch s.format {
	case F32:
		span.K32, span.V32 = s.k32[lo:hi:hi], s.v32[lo:hi:hi]
		return span
	case I16:
		span.K16, span.V16 = s.k16[lo:hi:hi], s.v16[lo:hi:hi]
	case Q8:
		span.K8, span.V8 = s.k8[lo:hi:hi], s.v8[lo:hi:hi]
	}
	span.KS, span.VS = s.ks[from:to:to], s.vs[from:to:to]
	return span
}
