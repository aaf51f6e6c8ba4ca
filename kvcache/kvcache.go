package kvcache

import "errors"

// ErrFull says that the cache has no room now. It is an expected condition:
// wait until a sequence ends, or preempt one.
var ErrFull = errors.New("kvcache: full")

// Group is the number of positions whose keys lie interleaved, see [Span].
// Spans begin, and blocks end, at multiples of it.
const Group = 16

// Shape is what one position of a sequence takes: a key and a value of HeadDim
// numbers for each of Heads key/value heads in each of Layers layers.
type Shape struct{ Layers, Heads, HeadDim int }

// Span is a stretch of N positions of one head of one layer. N is a multiple
// of [Group], the first position too. The fields of one format are set, those of
// the others are nil. Below, p is a position, counted from the span's start, and
// d the place of a number in its row.
//
// A span is of use while its region is open and held: memory outside Go's heap
// is not kept by slices of it.
type Span struct {
	N int

	// F32: rows one after another, number d of p at p*HeadDim + d.
	K32, V32 []float32 // [N][HeadDim]

	// I16 and Q8: a number is an integer times the scale of its row. HeadDim is
	// even, and both keys and values lie in pairs, because processors multiply and
	// add two at a time.
	//
	// Keys are transposed in groups of 16 positions, so that one load gives two
	// numbers of each of 16 keys, and scores need no sum across lanes: number d of p
	// is at p/16*16*HeadDim + d/2*32 + p%16*2 + d%2. Of values, two positions are
	// interleaved: number d of p is at p/2*2*HeadDim + d*2 + p%2.
	//
	// The integers of an I16 key are at most 32,767, and the square root of the sum
	// of their squares at most 46,016: so the product of two rows fits an int32.
	K16, V16 []int16   // N*HeadDim each
	K8, V8   []int8    // N*HeadDim each
	KS, VS   []float32 // [N], scales
}

// KV is the keys and values of one sequence, as attention sees them. Both
// methods may be called concurrently, for different positions or heads.
type KV interface {
	// Put stores the key and value rows of pos in layer, each [Heads][HeadDim].
	// Room was reserved before, so it cannot fail.
	Put(layer, pos int, k, v []float32)

	// Span returns the longest stretch that begins at pos, a multiple of Group.
	// It may reach past what is written: the caller knows how many rows it wrote.
	Span(layer, head, pos int) Span
}

// Region is the memory of one sequence. The methods beside KV belong to the
// goroutine that schedules, and never run during a forward pass.
type Region interface {
	KV

	// Grow makes room for positions [0,n): all of it, or none and an error
	// that wraps ErrFull.
	Grow(n int) error

	// Publish says that the rows of tokens, the sequence's first len(tokens),
	// are final and may be shared with other sequences. The slice is not kept.
	Publish(tokens []int32)

	// Close gives the memory back. The region must not be used afterwards.
	Close()
}

// Cache is a fixed amount of memory for many sequences. It belongs to the
// goroutine that schedules; only the KV of its regions is used by others.
type Cache interface {
	// Open returns a region and the length n of the longest published prefix of
	// tokens under the same salt that it already holds; n < len(tokens), so that
	// at least one token is left to compute. With nil tokens nothing is reused.
	// Opening takes no memory beyond what it shares.
	Open(tokens []int32, salt string) (r Region, n int, err error)

	// Need returns how many positions a sequence of n positions really takes:
	// whole blocks, for a paged cache.
	Need(n int) int

	// Free returns how many positions can still be handed out.
	Free() int

	// Limit returns the most positions that one sequence can have.
	Limit() int
}
