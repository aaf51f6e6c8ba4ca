package tokenizer

import "math"

// symbols is a text that is being merged, as a list linked both ways: symbol i
// has an id, begins at byte off[i] and is followed by symbol next[i]. Its
// slices are reused from text to text.
type symbols struct {
	id, off    []int32
	prev, next []int32  // -1 at the ends
	rank       []uint32 // of the pair that begins at a symbol
	into       []int32  // the id that this pair becomes
	heap       []uint64 // pairs to merge: rank<<32 | symbol
}

// noRank is the rank of a pair that does not merge.
const noRank = math.MaxUint32

// pairs knows the vocabulary's merges.
type pairs interface {
	// lookup returns the rank of the pair of symbol i and its successor j, and
	// the id that it becomes; noRank if it does not merge. The lowest rank
	// merges first, among equals the leftmost.
	lookup(s *symbols, i, j int32) (rank uint32, id int32)
}

func (s *symbols) reset() { s.id, s.off = s.id[:0], s.off[:0] }

func (s *symbols) add(id int32, off int) {
	s.id = append(s.id, id)
	s.off = append(s.off, int32(off))
}

// merge merges pairs, the lowest rank first, until none is left, and leaves the
// symbols that remain in id and off.
//
// Each round of byte-pair encoding as it is defined (Sennrich, Haddow and
// Birch, "Neural machine translation of rare words with subword units", 2016)
// looks at the whole text, which takes quadratic time. A heap of the pairs finds
// the next one in logarithmic time. An entry whose pair has changed since is
// known by its rank: if it is still the pair's rank, merging is right whichever
// pair the entry was made for.
func (s *symbols) merge(p pairs) {
	n := len(s.id)
	if n < 2 {
		return
	}
	s.link(n)
	for i := range int32(n - 1) {
		s.look(p, i)
	}
	for k := len(s.heap)/2 - 1; k >= 0; k-- {
		s.down(k)
	}
	for len(s.heap) > 0 {
		top := s.pop()
		i := int32(uint32(top))
		if s.rank[i] != uint32(top>>32) {
			continue
		}
		s.join(p, i)
	}
	s.compact()
}

// link makes a list of n symbols and an empty heap.
func (s *symbols) link(n int) {
	s.heap = s.heap[:0]
	s.prev, s.next = s.prev[:0], s.next[:0]
	s.rank, s.into = s.rank[:0], s.into[:0]
	for i := range int32(n) {
		s.prev = append(s.prev, i-1)
		s.next = append(s.next, i+1)
		s.rank = append(s.rank, noRank)
		s.into = append(s.into, -1)
	}
	s.next[n-1] = -1
}

// look finds the rank of the pair that begins at i and appends it to the heap, not yet in order.
func (s *symbols) look(p pairs, i int32) bool {
	s.rank[i] = noRank
	if i < 0 || s.next[i] < 0 {
		return false
	}
	s.rank[i], s.into[i] = p.lookup(s, i, s.next[i])
	if s.rank[i] == noRank {
		return false
	}
	s.heap = append(s.heap, uint64(s.rank[i])<<32|uint64(uint32(i)))
	return true
}

// join merges symbol i with its successor.
func (s *symbols) join(p pairs, i int32) {
	j := s.next[i]
	s.id[i] = s.into[i]
	s.next[i] = s.next[j]
	if s.next[j] >= 0 {
		s.prev[s.next[j]] = i
	}
	s.rank[j] = noRank
	s.id[j] = gone
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
