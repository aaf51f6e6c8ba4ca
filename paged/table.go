package paged

import (
	"fmt"

	"example.com/minillm/kvcache"
)

// Table is the block table of one sequence: position p lies in its block
// number p/size. It is a [kvcache.Region].
type Table struct {
	cache     *Cache
	blocks    []int32 // ids in the order of positions
	length    int     // positions asked for
	published int     // blocks, from the first on, that the index has
	parent    uint64  // serial number of the last of these
	salt      string
}

// Blocks returns the ids of the sequence's blocks in the order of positions.
// The slice belongs to the table.
func (t *Table) Blocks() []int32 { return t.blocks }

// Slot returns where position pos lies in the cache: the slot mapping,
// block*size + offset.
func (t *Table) Slot(pos int) int {
	c := t.cache
	return int(t.blocks[pos>>c.shift])<<c.shift | pos&(c.size-1)
}

// Put stores the rows of a position, see [kvcache.KV].
func (t *Table) Put(layer, pos int, k, v []float32) {
	c := t.cache
	c.slab.Put(int(t.blocks[pos>>c.shift]), layer, pos&(c.size-1), k, v)
}

// Span returns the rows from pos, a multiple of [kvcache.Group], to the end of
// its block.
func (t *Table) Span(layer, head, pos int) kvcache.Span {
	c := t.cache
	return c.slab.Span(int(t.blocks[pos>>c.shift]), layer, head, pos&(c.size-1))
}

// Grow makes room for positions [0,n): all of it, or none and an error that
// wraps [kvcache.ErrFull].
func (t *Table) Grow(n int) error {
	c := t.cache
	if n > c.Limit() {
		return fmt.Errorf("%w: %d positions, where the cache has %d", kvcache.ErrFull, n, c.Limit())
	}
	blocks, err := c.alloc(t.blocks, c.whole(n)-len(t.blocks))
	if err != nil {
		return err
	}
	c.unused -= t.unused()
	t.blocks, t.length = blocks, max(t.length, n)
	c.unused += t.unused()
	return nil
}

// unused returns the positions of the last block that nobody asked for.
func (t *Table) unused() int { return len(t.blocks)<<t.cache.shift - t.length }

// Publish makes the full blocks of tokens findable. Its cost is that of the
// blocks that have become full since the last call.
//
// If another sequence has published the same block meanwhile, the table takes
// that one and gives its own back: the rows are the same to the bit, and two
// sequences that computed the same prompt at once end up sharing it.
func (t *Table) Publish(tokens []int32) {
	c := t.cache
	if len(tokens) > t.length {
		panic(fmt.Sprintf("paged: %d tokens published of a sequence with room for %d", len(tokens), t.length))
	}
	for full := len(tokens) >> c.shift; t.published < full; t.published++ {
		own := &t.blocks[t.published]
		block := c.block(tokens, t.published)
		if id := c.index.find(t.parent, t.salt, block); id < 0 {
			c.index.add(*own, t.parent, t.salt, block)
		} else {
			c.retain(id)
			c.release(*own)
			*own = id
		}
		t.parent = c.index.serial(*own)
	}
}

// Close gives the blocks back, the last one first, so that of a prefix the end
// is reused before its beginning. A second Close panics.
func (t *Table) Close() {
	c := t.cache
	if c == nil {
		panic("paged: table closed twice")
	}
	c.unused -= t.unused()
	for i := len(t.blocks) - 1; i >= 0; i-- {
		c.release(t.blocks[i])
	}
	c.spare = append(c.spare, t.blocks)
	*t = Table{}
}
