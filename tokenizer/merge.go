package tokenizer

import "math"

// symbols is a text that is being merged: symbol i has an id and begins at byte
// off[i]; there is one offset more than symbols, the end of the text. Its slices
// are reused from text to text.
type symbols struct {
	id, off []int32
	rank    []uint32 // of the pair that begins at a symbol
	into    []int32  // the id that this pair becomes

	// For long texts: a list linked both ways, whose last symbol is followed by
	// one that is not there, and the pairs to merge as a heap of rank<<32 | symbol.
	prev, next []int32
	heap       []uint64
}

// noRank is the rank of a pair that does not merge.
const noRank = math.MaxUint32

// pairs knows the vocabulary's merges.
type pairs interface {
	// lookup returns the rank of the pair of symbol i and its successor j, which
	// k follows, and the id that it becomes; noRank if it does not merge. The
	// lowest rank merges first, among equals the leftmost.
	lookup(s *symbols, i, j, k int32) (rank uint32, id int32)
}

// small reports whether the slices may be kept for the next text: a pool should
// not hold on to what the longest word of all took.
func (s *symbols) small() bool { return cap(s.id) <= 1<<14 }

func (s *symbols) reset() { s.id, s.off = s.id[:0], s.off[:0] }

func (s *symbols) add(id int32, off int) {
	s.id = append(s.id, id)
	s.off = append(s.off, int32(off))
}

// end completes the symbols of a text of n bytes.
func (s *symbols) end(n int) {
	s.off = append(s.off, int32(n))
	s.rank = append(s.rank[:0], make([]uint32, len(s.id))...)
	s.into = append(s.into[:0], make([]int32, len(s.id))...)
}

// short is the number of symbols up to which looking at all pairs is faster than keeping them in a heap.
const short = 24

// merge merges pairs, the lowest rank first, until none is left, and leaves the
// symbols that remain in id and off.
//
// This is byte-pair encoding as it is defined in Sennrich, Haddow and Birch,
// "Neural machine translation of rare words with subword units" (2016).
func (s *symbols) merge(p pairs) {
	if len(s.id) > short {
		s.mergeLong(p)
		return
	}
	for i := range s.id {
		s.see(p, i)
	}
	for {
		best, at := uint32(noRank), 0
		for i, r := range s.rank {
			if r < best {
				best, at = r, i
			}
		}
		if best == noRank {
			return
		}
		s.id[at] = s.into[at]
		s.remove(at + 1)
		s.see(p, at)
		if at > 0 {
			s.see(p, at-1)
		}
	}
}

// see finds the rank of the pair that begins at symbol i.
func (s *symbols) see(p pairs, i int) {
	s.rank[i] = noRank
	if i+1 < len(s.id) {
		s.rank[i], s.into[i] = p.lookup(s, int32(i), int32(i+1), int32(i+2))
	}
}

func (s *symbols) remove(i int) {
	n := len(s.id) - 1
	copy(s.id[i:], s.id[i+1:])
	copy(s.off[i:], s.off[i+1:])
	copy(s.rank[i:], s.rank[i+1:])
	copy(s.into[i:], s.into[i+1:])
	s.id, s.off, s.rank, s.into = s.id[:n], s.off[:n+1], s.rank[:n], s.into[:n]
}

// mergeLong does what merge does in time that does not grow with the square of
// the text: a heap finds the next pair. An entry whose pair has changed since it
// was made is known by its rank: if that is the pair's rank still, merging is
// right whichever pair it was made for.
func (s *symbols) mergeLong(p pairs) {
	n := len(s.id)
	s.link(n)
	for i := range int32(n - 1) {
		s.look(p, i)
	}
	for k := len(s.heap)/2 - 1; k >= 0; k-- {
		s.down(k)
	}
	for len(s.heap) > 0 {
		top := s.pop()
		if i := int32(uint32(top)); s.rank[i] == uint32(top>>32) {
			s.join(p, i)
		}
	}
	s.compact()
}

// link makes a list of n symbols and an empty heap.
func (s *symbols) link(n int) {
	s.heap, s.prev, s.next = s.heap[:0], s.prev[:0], s.next[:0]
	for i := range int32(n) {
		s.prev = append(s.prev, i-1)
		s.next = append(s.next, i+1)
		s.rank[i] = noRank
	}
}

// look finds the rank of the pair that begins at i and appends it to the heap, not yet in order.
func (s *symbols) look(p pairs, i int32) bool {
	s.rank[i] = noRank
	j := s.next[i]
	if int(j) == len(s.id) {
		return false
	}
	s.rank[i], s.into[i] = p.lookup(s, i, j, s.next[j])
	if s.rank[i] == noRank {
		return false
	}
	s.heap = append(s.heap, uint64(s.rank[i])<<32|uint64(uint32(i)))
	return true
}

// join merges symbol i with its successor.
func (s *symbols) join(p pairs, i int32) {
	j := s.next[i]
	k := s.next[j]
	s.id[i], s.id[j] = s.into[i], gone
	s.rank[j] = noRank
	s.next[i] = k
	if int(k) < len(s.id) {
		s.prev[k] = i
	}
	if s.look(p, i) {
		s.up()
	}
	if left := s.prev[i]; left >= 0 && s.look(p, left) {
		s.up()
	}
}

// gone marks symbols that were merged into another.
const gone = math.MinInt32

func (s *symbols) compact() {
	n := 0
	for i, id := range s.id {
		if id != gone {
			s.id[n], s.off[n] = id, s.off[i]
			n++
		}
	}
	s.id, s.off = s.id[:n], s.off[:n]
}

func (s *symbols) pop() uint64 {
	top, last := s.heap[0], len(s.heap)-1
	s.heap[0] = s.heap[last]
	s.heap = s.heap[:last]
	s.down(0)
	return top
}

func (s *symbols) up() {
	h := s.heap
	k := len(h) - 1
	x := h[k]
	for k > 0 && x < h[(k-1)/2] {
		h[k] = h[(k-1)/2]
		k = (k - 1) / 2
	}
	h[k] = x
}

func (s *symbols) down(k int) {
	h := s.heap
	if k >= len(h) {
		return
	}
	x := h[k]
	for {
		c := 2*k + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1] < h[c] {
			c++
		}
		if x <= h[c] {
			break
		}
		h[k] = h[c]
		k = c
	}
	h[k] = x
}
