package paged

import (
	"fmt"

	"example.com/minillm/kvcache"
)

// Allocator hands out the ids of blocks and counts who refers to each. It
// deals in ids only; what a block holds is its user's business.
//
// Blocks that nobody refers to are handed out again in the order of their
// release, the least recently used first, those never used before all others.
// So a free block keeps its contents for as long as possible, and [Retain]
// brings it back if it is wanted after all.
//
// Every operation takes constant time per block and nothing is allocated after
// [NewAllocator], which itself takes memory that the operating system provides
// when it is touched. An Allocator belongs to one goroutine.
type Allocator struct {
	blocks     []block
	head, tail int32 // links to the least and most recently released block
	fresh      int   // blocks from this one on were never handed out
	free       int
	shared     int // blocks with more than one reference
	highWater  int
}

// block is in the free list if it has no references and is not fresh.
type block struct {
	refs       int32
	next, prev int32 // links in the free list: ids plus 1, 0 is none
}

// NewAllocator returns an allocator of the ids [0,n), all free.
func NewAllocator(n int) *Allocator {
	return &Allocator{blocks: make([]block, n), free: n}
}

// Len returns how many blocks there are.
func (a *Allocator) Len() int { return len(a.blocks) }

// Free returns how many blocks nobody refers to.
func (a *Allocator) Free() int { return a.free }

// Shared returns how many blocks have more than one reference.
func (a *Allocator) Shared() int { return a.shared }

// HighWater returns the most blocks that were ever referred to at once.
func (a *Allocator) HighWater() int { return a.highWater }

// Refs returns how many references block id has.
func (a *Allocator) Refs(id int32) int { return int(a.blocks[id].refs) }

// Alloc appends the ids of n blocks to dst, each with one reference. If fewer
// are free it takes none, and the error is [kvcache.ErrFull].
func (a *Allocator) Alloc(dst []int32, n int) ([]int32, error) {
	if n > a.free {
		return dst, kvcache.ErrFull
	}
	for range n {
		id := a.leastRecent()
		a.blocks[id].refs = 1
		dst = append(dst, id)
	}
	a.took(max(n, 0))
	return dst, nil
}

// Retain adds a reference to a block. A free one leaves the free list, unless
// it was never handed out: then there is nothing in it to want, and Retain panics.
func (a *Allocator) Retain(id int32) {
	a.check(id)
	switch a.blocks[id].refs {
	case 0:
		if int(id) >= a.fresh {
			panic(fmt.Sprintf("paged: block %d retained, but never allocated", id))
		}
		a.unlink(id)
		a.took(1)
	case 1:
		a.shared++
	}
	a.blocks[id].refs++
}

// Release drops a reference to a block; without any it goes to the end of the
// free list. Releasing a free block panics: somebody else's block would be next.
func (a *Allocator) Release(id int32) {
	a.check(id)
	switch a.blocks[id].refs {
	case 0:
		panic(fmt.Sprintf("paged: block %d released, but free: a double free", id))
	case 1:
		a.link(id)
		a.free++
	case 2:
		a.shared--
	}
	a.blocks[id].refs--
}

func (a *Allocator) check(id int32) {
	if id < 0 || int(id) >= len(a.blocks) {
		panic(fmt.Sprintf("paged: no block %d among %d", id, len(a.blocks)))
	}
}

func (a *Allocator) took(n int) {
	a.free -= n
	a.highWater = max(a.highWater, a.Len()-a.free)
}

// leastRecent takes a block off the front of the free list; there is one.
func (a *Allocator) leastRecent() int32 {
	if a.fresh < len(a.blocks) {
		a.fresh++
		return int32(a.fresh - 1)
	}
	id := a.head - 1
	a.unlink(id)
	return id
}

// link appends a block to the free list.
func (a *Allocator) link(id int32) {
	a.blocks[id].prev, a.blocks[id].next = a.tail, 0
	if a.tail == 0 {
		a.head = id + 1
	} else {
		a.blocks[a.tail-1].next = id + 1
	}
	a.tail = id + 1
}

// unlink takes a block out of the free list, wherever it is.
func (a *Allocator) unlink(id int32) {
	prev, next := a.blocks[id].prev, a.blocks[id].next
	if prev == 0 {
		a.head = next
	} else {
		a.blocks[prev-1].next = next
	}
	if next == 0 {
		a.tail = prev
	} else {
		a.blocks[next-1].prev = prev
	}
}
