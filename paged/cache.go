package paged

import (
	"errors"
	"fmt"
	"math/bits"

	"example.com/minillm/kvcache"
)

// DefaultBlock is the number of positions in a block where Options has none.
// Small blocks leave less of a shared prefix to compute again and waste less of
// the last block, large ones give attention longer spans. Measured on attention
// over 4,096 positions, blocks of 16, 32, 64 and 128 cost 180, 75, 27 and 13 %
// more time in cache than one span of 256, and from memory a half of that.
const DefaultBlock = 64

// Options says how large a Cache is. Either Positions or Bytes must be set.
type Options struct {
	Positions int            // positions of all sequences together; rounded up to whole blocks
	Bytes     int            // memory for keys and values; rounded down to whole blocks
	Limit     int            // most positions of one sequence; 0: as many as there are
	Block     int            // positions in a block: a power of two, at least 16; 0 is DefaultBlock
	Format    kvcache.Format // of the rows
	Hash      Hash           // of blocks in the prefix index; nil is a good one. For tests: any is right, a bad one is slow
}

// Cache is the memory of many sequences in blocks, a [kvcache.Cache]. It
// belongs to the goroutine that schedules.
type Cache struct {
	slab   *kvcache.Slab
	blocks *Allocator
	index  *index
	size   int // positions in a block
	shift  int // its logarithm
	limit  int // most positions of one sequence

	cached int       // published blocks that are free
	unused int       // positions in blocks of tables beyond what their sequences asked for
	spare  [][]int32 // block tables to be used again
	counts counts
}

// New returns a cache for rows of shape. Its memory is the operating system's
// until blocks are first written.
func New(shape kvcache.Shape, o Options) (*Cache, error) {
	size := o.Block
	if size == 0 {
		size = DefaultBlock
	}
	if size < kvcache.Group || size&(size-1) != 0 {
		return nil, fmt.Errorf("paged: blocks of %d positions: want a power of two of at least %d", size, kvcache.Group)
	}
	n, err := o.blocks(shape, size)
	if err != nil {
		return nil, err
	}
	slab, err := kvcache.NewSlab(shape, n, size, o.Format)
	if err != nil {
		return nil, fmt.Errorf("paged: %w", err)
	}
	limit := n * size
	if o.Limit > 0 {
		limit = min(limit, o.Limit)
	}
	return &Cache{
		slab:   slab,
		limit:  limit,
		blocks: NewAllocator(n),
		index:  newIndex(n, size, o.Hash),
		size:   size,
		shift:  bits.TrailingZeros(uint(size)),
	}, nil
}

// blocks returns how many blocks of size positions there are to be.
func (o Options) blocks(shape kvcache.Shape, size int) (int, error) {
	if o.Positions < 0 || o.Bytes < 0 || (o.Positions == 0) == (o.Bytes == 0) {
		return 0, errors.New("paged: want either a number of positions or one of bytes")
	}
	n := o.Positions / size
	if o.Positions%size != 0 {
		n++
	}
	if o.Bytes > 0 {
		n = o.Bytes / max(1, size*shape.Bytes(o.Format))
	}
	if n < 1 || n > 1<<31-2 {
		return 0, fmt.Errorf("paged: %d blocks of %d positions: want between 1 and 2^31-2", n, size)
	}
	return n, nil
}

// Close gives the memory back. Regions are closed before, or not used any more;
// without it, that happens some time after nobody can reach the cache. It may be
// called more than once.
func (c *Cache) Close() { c.slab.Close() }

// Open returns a table that shares the published blocks of the longest prefix
// of tokens under salt, and the number of their positions, less than
// len(tokens): the last token is always left to compute. It never fails.
func (c *Cache) Open(tokens []int32, salt string) (r kvcache.Region, n int, err error) {
	t := &Table{cache: c, salt: salt, blocks: c.reuse()}
	for most := (len(tokens) - 1) / c.size; len(t.blocks) < most; {
		id := c.index.find(t.parent, salt, c.block(tokens, len(t.blocks)))
		if id < 0 {
			c.counts.misses += most - len(t.blocks)
			break
		}
		c.retain(id)
		t.blocks = append(t.blocks, id)
		t.parent = c.index.serial(id)
	}
	t.published = len(t.blocks)
	t.length = t.published << c.shift
	c.counts.hits += t.published
	return t, t.length, nil
}

// block returns the tokens of block i of a sequence.
func (c *Cache) block(tokens []int32, i int) []int32 {
	return tokens[i<<c.shift : (i+1)<<c.shift]
}

// Need returns n rounded up to whole blocks.
func (c *Cache) Need(n int) int { return max(n, c.whole(n)<<c.shift) } // n itself where rounding overflows

// whole returns how many blocks hold n positions.
func (c *Cache) whole(n int) int {
	if n&(c.size-1) == 0 {
		return n >> c.shift
	}
	return n>>c.shift + 1
}

// Free returns the positions of the blocks that no sequence has, those with
// prefixes that can be found again included.
func (c *Cache) Free() int { return c.blocks.Free() << c.shift }

// Limit returns the most positions of one sequence: all blocks', or what
// Options.Limit says.
func (c *Cache) Limit() int { return c.limit }

// Block returns the number of positions in a block.
func (c *Cache) Block() int { return c.size }

// alloc appends n blocks to dst. What they held can no longer be found.
func (c *Cache) alloc(dst []int32, n int) ([]int32, error) {
	start := len(dst)
	dst, err := c.blocks.Alloc(dst, n)
	for _, id := range dst[start:] {
		if c.index.has(id) {
			c.index.remove(id)
			c.cached--
			c.counts.evictions++
		}
	}
	return dst, err
}

func (c *Cache) retain(id int32) {
	if c.blocks.Refs(id) == 0 && c.index.has(id) {
		c.cached--
	}
	c.blocks.Retain(id)
}

func (c *Cache) release(id int32) {
	c.blocks.Release(id)
	if c.blocks.Refs(id) == 0 && c.index.has(id) {
		c.cached++
	}
}

// reuse returns an empty block table.
func (c *Cache) reuse() []int32 {
	last := len(c.spare) - 1
	if last < 0 {
		return nil
	}
	blocks := c.spare[last]
	c.spare = c.spare[:last]
	return blocks[:0]
}
