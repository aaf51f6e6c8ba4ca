package paged

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"example.com/minillm/kvcache"
	"example.com/minillm/kvcache/kvcachetest"
)

var small = kvcache.Shape{Layers: 2, Heads: 2, HeadDim: 4}

func mustNew(t testing.TB, shape kvcache.Shape, o Options) *Cache {
	t.Helper()
	c, err := New(shape, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCache(t *testing.T) {
	for _, o := range []Options{
		{Block: 16}, {Block: 32}, {Block: 64}, {Block: 128},
		{Block: 32, Format: kvcache.F32}, {Block: 32, Format: kvcache.Q8},
		{Block: 16, Hash: hashes["constant"]}, {Block: 16, Hash: hashes["poor"]},
	} {
		t.Run(fmt.Sprintf("block=%d/%v/hash=%v", o.Block, o.Format, o.Hash != nil), func(t *testing.T) {
			kvcachetest.Run(t, small, func(t testing.TB) kvcache.Cache {
				o.Positions = 256
				return mustNew(t, small, o)
			})
		})
	}
}

// sequence is a table with the tokens whose rows it has.
type sequence struct {
	*Table
	tokens []int32
	found  int
}

// open opens tokens without computing the rest of them.
func open(t testing.TB, c *Cache, tokens []int32, salt string) *sequence {
	t.Helper()
	r, n, err := c.Open(tokens, salt)
	if err != nil {
		t.Fatal(err)
	}
	return &sequence{Table: r.(*Table), tokens: tokens, found: n}
}

// compute makes room for the first n tokens, writes the rows that are missing,
// and publishes. A row is its token, so that it shows whose it is.
func (s *sequence) compute(t testing.TB, n int) {
	t.Helper()
	if err := s.Grow(n); err != nil {
		t.Fatal(err)
	}
	for pos := s.found; pos < n; pos++ {
		row := fill(float32(s.tokens[pos]))
		for layer := range small.Layers {
			s.Put(layer, pos, row, row)
		}
	}
	s.found = max(s.found, n)
	s.Publish(s.tokens[:n])
}

func fill(x float32) []float32 {
	row := make([]float32, small.Heads*small.HeadDim)
	for i := range row {
		row[i] = x
	}
	return row
}

// check reads back what the sequence found or computed.
func (s *sequence) check(t testing.TB) {
	t.Helper()
	k, v := make([]float32, s.found*small.HeadDim), make([]float32, s.found*small.HeadDim)
	for layer := range small.Layers {
		for head := range small.Heads {
			kvcache.Gather(k, v, s, layer, head, s.found)
			for i := range k {
				if want := float32(s.tokens[i/small.HeadDim]); k[i] != want || v[i] != want {
					t.Fatalf("position %d has the rows of token %g, %g; want %g", i/small.HeadDim, k[i], v[i], want)
				}
			}
		}
	}
}

// count returns tokens from, from+1, …
func count(from, n int) []int32 {
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = int32(from + i)
	}
	return tokens
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name   string
		o      Options
		blocks int // 0: refused
	}{
		{"positions", Options{Positions: 640}, 10},
		{"positions rounded up", Options{Positions: 641}, 11},
		{"bytes", Options{Bytes: 10 * 64 * small.Bytes(kvcache.I16)}, 10},
		{"bytes rounded down", Options{Bytes: 10*64*small.Bytes(kvcache.I16) - 1}, 9},
		{"bytes of wider rows", Options{Bytes: 5 * 64 * small.Bytes(kvcache.F32), Format: kvcache.F32}, 5},
		{"block size", Options{Positions: 640, Block: 128}, 5},
		{"nothing", Options{}, 0},
		{"both", Options{Positions: 320, Bytes: 1 << 20}, 0},
		{"negative", Options{Positions: -320}, 0},
		{"less than a block", Options{Bytes: 100}, 0},
		{"block of 8", Options{Positions: 320, Block: 8}, 0},
		{"block of 48", Options{Positions: 320, Block: 48}, 0},
		{"negative block", Options{Positions: 320, Block: -16}, 0},
		{"unknown format", Options{Positions: 320, Format: 9}, 0},
		{"overflow", Options{Positions: math.MaxInt}, 0},
	} {
		cache, err := New(small, c.o)
		if (err == nil) != (c.blocks > 0) {
			t.Errorf("%s: %v", c.name, err)
		} else if err == nil && cache.Stats().Blocks != c.blocks {
			t.Errorf("%s: %d blocks, want %d", c.name, cache.Stats().Blocks, c.blocks)
		}
	}
	if _, err := New(kvcache.Shape{}, Options{Bytes: 1 << 20}); err == nil {
		t.Error("a shape without layers was accepted")
	}
}

func TestSlots(t *testing.T) {
	c := mustNew(t, small, Options{Positions: 80, Block: 16, Format: kvcache.F32})
	a, b := open(t, c, count(0, 64), ""), open(t, c, count(100, 64), "")
	a.compute(t, 10)
	b.compute(t, 20)
	a.compute(t, 40)
	for _, s := range []*sequence{a, b} {
		for pos := range s.found {
			if got, want := s.Slot(pos), int(s.Blocks()[pos/16])*16+pos%16; got != want {
				t.Errorf("slot of %d: %d, want %d", pos, got, want)
			}
		}
	}
	seen := map[int]bool{}
	for _, s := range []*sequence{a, b} {
		for pos := range s.found {
			seen[s.Slot(pos)] = true
		}
	}
	if len(seen) != 60 {
		t.Errorf("60 positions have %d slots", len(seen))
	}
}

// A prompt that is wholly cached still computes its last token.
func TestLastTokenIsLeft(t *testing.T) {
	c := mustNew(t, small, Options{Positions: 256, Block: 16, Format: kvcache.F32})
	s := open(t, c, count(0, 64), "")
	s.compute(t, 64)
	for n, want := range map[int]int{64: 48, 65: 64, 63: 48, 17: 16, 16: 0, 1: 0, 0: 0} {
		tokens := append(count(0, 64), 7)[:n]
		again := open(t, c, tokens, "")
		if again.found != want {
			t.Errorf("%d tokens: found %d, want %d", n, again.found, want)
		}
		again.check(t)
		again.Close()
	}
}

func TestSaltsDoNotShare(t *testing.T) {
	for name, hash := range hashes {
		c := mustNew(t, small, Options{Positions: 512, Block: 16, Hash: hash, Format: kvcache.F32})
		prompt := count(0, 40)
		for _, salt := range []string{"", "tenant", "other"} {
			s := open(t, c, prompt, salt)
			if s.found != 0 {
				t.Errorf("%s hash: salt %q found %d tokens of others", name, salt, s.found)
			}
			s.compute(t, 40)
			again := open(t, c, prompt, salt)
			if again.found != 32 {
				t.Errorf("%s hash: salt %q found %d of its own tokens, want 32", name, salt, again.found)
			}
			again.Close()
			s.Close()
		}
	}
}

// Two sequences that compute the same prompt in one step end up sharing it.
func TestSamePromptTwiceInOneStep(t *testing.T) {
	c := mustNew(t, small, Options{Positions: 256, Block: 16, Format: kvcache.F32})
	start := c.Free()
	prompt := count(0, 35)
	a, b := open(t, c, prompt, ""), open(t, c, prompt, "")
	for _, s := range []*sequence{a, b} { // one step: forward for both, then publish
		if err := s.Grow(35); err != nil {
			t.Fatal(err)
		}
	}
	a.compute(t, 35)
	b.compute(t, 35)
	a.check(t)
	b.check(t)
	if got := c.Stats(); got.Shared != 2 || got.Used != 4 {
		t.Errorf("%d blocks used, %d shared; want 4 with 2 shared", got.Used, got.Shared)
	}
	if a.Slot(31) != b.Slot(31) || a.Slot(32) == b.Slot(32) {
		t.Error("full blocks must be shared, the last one not")
	}
	a.Close()
	b.check(t)
	b.Close()
	if c.Free() != start {
		t.Errorf("%d positions free at the end, %d at the start", c.Free(), start)
	}
}

// Four blocks, two sequences: preempt, resume with a hit.
func TestPreemptAndResumeWithHit(t *testing.T) {
	c := mustNew(t, small, Options{Positions: 64, Block: 16, Format: kvcache.F32})
	a, b := open(t, c, count(0, 64), ""), open(t, c, count(500, 64), "")
	a.compute(t, 32)
	b.compute(t, 32)
	if err := a.Grow(33); !errors.Is(err, kvcache.ErrFull) {
		t.Fatalf("Grow on a full pool: %v", err)
	}
	b.Close() // preempted
	a.compute(t, 33)
	a.check(t)
	a.Close()

	b = open(t, c, count(500, 64), "")
	if b.found != 16 { // its last block was reused first
		t.Errorf("resumed with %d tokens, want 16", b.found)
	}
	b.check(t)
	b.compute(t, 64)
	b.check(t)
	b.Close()
	if c.Free() != 64 {
		t.Errorf("%d positions free at the end", c.Free())
	}
}

// What arrives in the middle of a long prefill shares what is computed, no more.
func TestOnlyComputedBlocksAreFound(t *testing.T) {
	prompt := count(0, 100)
	for computed, want := range map[int]int{0: 0, 15: 0, 40: 32} {
		c := mustNew(t, small, Options{Positions: 256, Block: 16, Format: kvcache.F32})
		a := open(t, c, prompt, "")
		if err := a.Grow(100); err != nil { // room for all of it
			t.Fatal(err)
		}
		a.compute(t, computed)
		b := open(t, c, prompt, "")
		if b.found != want {
			t.Errorf("%d computed: found %d, want %d", computed, b.found, want)
		}
		b.check(t)
		b.compute(t, 100)
		a.compute(t, 100)
		a.check(t)
		b.check(t)
	}
}

// Admission must count as the allocator does: blocks of 128, one of them free.
func TestNeedCountsWholeBlocks(t *testing.T) {
	c := mustNew(t, small, Options{Positions: 128, Block: 128, Format: kvcache.F32})
	a, b := open(t, c, count(0, 2), ""), open(t, c, count(9, 2), "")
	if c.Need(2) != 128 || c.Need(2) > c.Free() {
		t.Fatalf("Need(2) = %d, Free = %d", c.Need(2), c.Free())
	}
	a.compute(t, 2)
	if c.Need(2) <= c.Free() {
		t.Error("the second prompt looks as if it fitted")
	}
	if err := b.Grow(2); !errors.Is(err, kvcache.ErrFull) {
		t.Errorf("Grow: %v", err)
	}
	a.Close()
	b.compute(t, 2) // it waited
	b.check(t)
	if got := c.Need(math.MaxInt); got != math.MaxInt {
		t.Errorf("Need(MaxInt) = %d", got)
	}
}

func TestTablePanics(t *testing.T) {
	c := mustNew(t, small, Options{Positions: 64, Block: 16, Format: kvcache.F32})
	s := open(t, c, count(0, 20), "")
	s.compute(t, 16)
	if panicOf(func() { s.Publish(count(0, 20)) }) == "<nil>" {
		t.Error("tokens were published for which there is no room")
	}
	s.Close()
	if got := panicOf(s.Close); got != "paged: table closed twice" {
		t.Errorf("second Close: %q", got)
	}
}

func TestStats(t *testing.T) {
	c := mustNew(t, small, Options{Positions: 160, Block: 16, Format: kvcache.F32})
	a := open(t, c, count(0, 40), "") // misses 2
	a.compute(t, 40)                  // 3 blocks, 8 positions unused
	b := open(t, c, count(0, 40), "") // hits 2
	b.compute(t, 33)                  // 15 unused
	if got, want := c.Stats(), (Stats{Blocks: 10, Used: 4, Shared: 2, Free: 6, HighWater: 4, Size: 16, Unused: 23, Hits: 2, Misses: 2}); got != want {
		t.Errorf("two sequences: %+v, want %+v", got, want)
	}
	if got, want := c.Stats().Fragmentation(), 23./64; got != want {
		t.Errorf("fragmentation %g, want %g", got, want)
	}
	a.Close()
	b.Close()
	if got, want := c.Stats(), (Stats{Blocks: 10, Free: 10, Cached: 2, HighWater: 4, Size: 16, Hits: 2, Misses: 2}); got != want {
		t.Errorf("closed: %+v, want %+v", got, want)
	}
	if got := c.Stats().Fragmentation(); got != 0 {
		t.Errorf("fragmentation of nothing: %g", got)
	}
	big := open(t, c, nil, "")
	if err := big.Grow(160); err != nil {
		t.Fatal(err)
	}
	if got, want := c.Stats(), (Stats{Blocks: 10, Used: 10, HighWater: 10, Size: 16, Hits: 2, Misses: 2, Evictions: 2}); got != want {
		t.Errorf("all taken: %+v, want %+v", got, want)
	}
}
