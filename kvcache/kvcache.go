// Package kvcache is the contract between attention and the memory of keys and
// values, with its simplest keeper, [Contiguous]: one slab per sequence.
//
// A transformer writes a key and a value for every position with Put and reads
// them back as spans: stretches of positions whose rows lie one after another.
// Contiguous memory answers with one span, paged memory with one per block, so
// one attention kernel serves both and the model never sees a block table.
//
// Rows have 16 bits per number by default, because at long contexts a decode
// step reads more keys and values than weights: integers with one scale per row
// and head ([I16]), which are finer than IEEE half precision for such rows and
// are multiplied as they lie. [F32] rows serve reference runs; [Q8] rows halve
// the memory once more.
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

// Format is how the numbers of a row are stored.
type Format uint8

const (
	I16 Format = iota // 16-bit integers, with one float32 scale per row and head, the default: finer than F16, and faster
	F16               // IEEE half precision
	F32               // for reference runs
	Q8                // signed bytes, with one float32 scale per row and head
)

// Span is a stretch of N positions of one head of one layer. N is a multiple
// of [Group], the first position too.
//
// Keys lie transposed in groups of 16 positions: number d of the key of
// position p (counted from the span's start) is at (p/16)*16*HeadDim + d*16 +
// p%16, so that one load gives one number of 16 keys and scores need no sums
// across lanes. Values lie row by row: number d of position p is at p*HeadDim + d.
// The fields of one format are set, those of the others are nil.
type Span struct {
	N int

	K, V []uint16 // F16: N*HeadDim half-precision values each

	K32, V32 []float32 // F32

	K8, V8 []int8    // Q8: a number is the byte times the scale of its row
	KS, VS []float32 // Q8 and I16: N scales each

	// I16: a number is the integer times the scale of its row. Processors
	// multiply pairs of them, so both lie in pairs, as simd.Rows has it: number d of
	// the key of p is at (p/16)*16*HeadDim + (d/2)*32 + (p%16)*2 + d%2, that of the
	// value at (p/2)*2*HeadDim + 2*d + p%2.
	K16, V16 []int16
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
