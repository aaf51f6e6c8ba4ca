package tokenizer

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// table is merges for tests.
type table map[pair]merge

func (t table) lookup(s *symbols, i, j, _ int32) (uint32, int32) {
	if m, ok := t[pair{s.id[i], s.id[j]}]; ok {
		return m.rank, m.id
	}
	return noRank, -1
}

// naive is byte-pair encoding as it is defined.
func (t table) naive(ids []int32) []int32 {
	ids = slices.Clone(ids)
	for {
		best, at := merge{rank: noRank}, -1
		for i := range len(ids) - 1 {
			if m, ok := t[pair{ids[i], ids[i+1]}]; ok && m.rank < best.rank {
				best, at = m, i
			}
		}
		if at < 0 {
			return ids
		}
		ids[at] = best.id
		ids = slices.Delete(ids, at+1, at+2)
	}
}

func TestMergeIsAsDefined(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		alphabet, size := 1+r.Int32N(4), 12
		merges := table{}
		for len(merges) < size {
			id := alphabet + int32(len(merges))
			p := pair{r.Int32N(id), r.Int32N(id)}
			// Ranks repeat, as scores do, and do not follow the order in which ids come to be.
			merges[p] = merge{rank: r.Uint32N(8), id: id}
		}
		ids := make([]int32, r.IntN(3*short))
		for i := range ids {
			ids[i] = r.Int32N(alphabet)
		}
		want := merges.naive(ids)
		for _, how := range []func(*symbols, pairs){(*symbols).merge, (*symbols).mergeLong} {
			var s symbols
			for i, id := range ids {
				s.add(id, i)
			}
			s.end(len(ids))
			how(&s, merges)
			if !slices.Equal(s.id, want) {
				t.Fatalf("%v with %v\n got %v\nwant %v", ids, merges, s.id, want)
			}
			if len(s.off) < len(s.id) || !slices.IsSorted(s.off[:len(s.id)]) {
				t.Fatalf("offsets %v", s.off)
			}
		}
	}
}
