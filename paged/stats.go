package paged

// Stats is the state of a cache in blocks. Reading it costs nothing: every
// number is kept as blocks move.
type Stats struct {
	Blocks    int // all there are; Used + Free
	Used      int // referred to by at least one sequence
	Shared    int // of Used: referred to by several
	Free      int
	Cached    int // of Free: still findable by their tokens
	HighWater int // the most that were ever Used at once

	Size   int // positions in a block
	Unused int // positions in used blocks that no sequence asked for yet

	Hits      int // blocks that Open found, since the beginning
	Misses    int // full blocks of prompts that it did not find
	Evictions int // findable blocks that were reused
}

// Fragmentation returns which part of the used memory nobody asked for: the
// ends of last blocks. 0 if nothing is used.
func (s Stats) Fragmentation() float64 {
	if s.Used == 0 {
		return 0
	}
	return float64(s.Unused) / float64(s.Used*s.Size)
}

type counts struct{ hits, misses, evictions int }

// Stats returns the present state. Like all of Cache it is for the goroutine
// that schedules.
func (c *Cache) Stats() Stats {
	return Stats{
		Blocks:    c.blocks.Len(),
		Used:      c.blocks.Len() - c.blocks.Free(),
		Shared:    c.blocks.Shared(),
		Free:      c.blocks.Free(),
		Cached:    c.cached,
		HighWater: c.blocks.HighWater(),
		Size:      c.size,
		Unused:    c.unused,
		Hits:      c.counts.hits,
		Misses:    c.counts.misses,
		Evictions: c.counts.evictions,
	}
}
