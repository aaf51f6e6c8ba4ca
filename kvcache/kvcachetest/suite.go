// Package kvcachetest is the suite that every [kvcache.Cache] must pass.
//
// It looks at a cache as its users do: what is Put comes back through spans
// from wherever they are asked for, growing is all or nothing, positions that
// are given back can be handed out again, and a prefix that a cache claims to
// have holds the rows that its tokens had.
package kvcachetest

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"example.com/minillm/kvcache"
)

// Run runs the suite. newCache makes an empty cache of shape with at least 128
// free positions; it is called once for each test.
func Run(t *testing.T, shape kvcache.Shape, newCache func(t testing.TB) kvcache.Cache) {
	for _, c := range []struct {
		name string
		test func(*suite)
	}{
		{"RoundTrip", (*suite).roundTrip},
		{"GrowKeepsRows", (*suite).growKeepsRows},
		{"GrowIsAllOrNothing", (*suite).growIsAllOrNothing},
		{"Limit", (*suite).limit},
		{"Accounting", (*suite).accounting},
		{"Prefix", (*suite).prefix},
		{"CloseTwice", (*suite).closeTwice},
		{"RandomOperations", (*suite).randomOperations},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.test(&suite{T: t, shape: shape, cache: newCache(t)})
		})
	}
}

// suite is one test on one cache.
type suite struct {
	*testing.T
	shape kvcache.Shape
	cache kvcache.Cache
}

func (s *suite) open(tokens []int32, salt string) (kvcache.Region, int) {
	s.Helper()
	r, n, err := s.cache.Open(tokens, salt)
	if err != nil {
		s.Fatalf("Open: %v", err)
	}
	if n < 0 || n > 0 && n >= len(tokens) {
		s.Fatalf("Open found %d of %d tokens: at least one must be left to compute", n, len(tokens))
	}
	return r, n
}

func (s *suite) grow(r kvcache.Region, n int) {
	s.Helper()
	if err := r.Grow(n); err != nil {
		s.Fatalf("Grow(%d) with %d positions free: %v", n, s.cache.Free(), err)
	}
}

// most returns a length that fits the empty cache and is no whole number of groups.
func (s *suite) most() int { return min(s.cache.Limit(), s.cache.Free(), 200) - 3 }

// Positions may be written in any order and by many goroutines.
func (s *suite) roundTrip() {
	tokens := randomTokens(rand.New(rand.NewPCG(1, 1)), s.most())
	r, _ := s.open(tokens, "")
	defer r.Close()
	s.grow(r, len(tokens))
	rows := rowsOf(s.shape, tokens)
	const writers = 3
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for pos := len(tokens) - 1 - w; pos >= 0; pos -= writers {
				rows.put(r, pos)
			}
		})
	}
	group.Wait()
	rows.check(s, r, len(tokens))
	rows.checkCuts(s, r, len(tokens))
}

// Two sequences that grow in turns don't disturb each other.
func (s *suite) growKeepsRows() {
	n := s.cache.Free() / 2
	for n > 1 && 2*s.cache.Need(n) > s.cache.Free() {
		n--
	}
	if n = min(n, s.cache.Limit(), 150); n <= 1 {
		s.Skip("room for one sequence only")
	}
	random := rand.New(rand.NewPCG(2, 2))
	a, b := rowsOf(s.shape, randomTokens(random, n)), rowsOf(s.shape, randomTokens(random, n))
	ra, _ := s.open(a.tokens, "")
	rb, _ := s.open(b.tokens, "")
	defer ra.Close()
	defer rb.Close()
	for pos := range n {
		s.grow(ra, pos+1)
		a.put(ra, pos)
		s.grow(rb, pos+1)
		b.put(rb, pos)
		s.grow(ra, pos/2) // room once given stays
	}
	a.check(s, ra, n)
	b.check(s, rb, n)
}

func (s *suite) growIsAllOrNothing() {
	var regions []kvcache.Region
	step := min(s.cache.Limit(), 20)
	rows := rowsOf(s.shape, randomTokens(rand.New(rand.NewPCG(3, 3)), step))
	start := s.cache.Free()
	for s.cache.Free() > 0 { // leave no position
		r, _ := s.open(nil, "")
		regions = append(regions, r)
		free := s.cache.Free()
		err := r.Grow(step)
		if err == nil {
			for pos := range step {
				rows.put(r, pos)
			}
			continue
		}
		if !errors.Is(err, kvcache.ErrFull) {
			s.Fatalf("Grow on a full cache: %v, want one that wraps ErrFull", err)
		}
		if got := s.cache.Free(); got != free {
			s.Fatalf("a failed Grow took %d positions", free-got)
		}
		s.grow(r, free) // what is there can still be had
	}
	last, _ := s.open(nil, "")
	if err := last.Grow(1); !errors.Is(err, kvcache.ErrFull) {
		s.Errorf("Grow(1) with nothing free: %v, want ErrFull", err)
	}
	last.Close()
	rows.check(s, regions[0], step) // failures disturbed nobody
	for _, r := range regions {
		r.Close()
	}
	if got := s.cache.Free(); got != start {
		s.Errorf("%d positions free at the end, %d at the start", got, start)
	}
}

func (s *suite) limit() {
	limit, free := s.cache.Limit(), s.cache.Free()
	if need := s.cache.Need(limit); need > free {
		s.Fatalf("a sequence of Limit %d needs %d of %d positions", limit, need, free)
	}
	r, _ := s.open(nil, "")
	s.grow(r, limit)
	if err := r.Grow(limit + 1); !errors.Is(err, kvcache.ErrFull) {
		s.Errorf("Grow(Limit+1): %v, want ErrFull", err)
	}
	r.Close()
	if got := s.cache.Free(); got != free {
		s.Errorf("%d positions free at the end, %d at the start", got, free)
	}
}

// Need foretells exactly what Grow takes.
func (s *suite) accounting() {
	if got := s.cache.Need(0); got != 0 {
		s.Errorf("Need(0) = %d", got)
	}
	start := s.cache.Free()
	for n := 1; n <= min(s.cache.Limit(), 200); n++ {
		need := s.cache.Need(n)
		if need < n || need < s.cache.Need(n-1) {
			s.Fatalf("Need(%d) = %d, Need(%d) = %d", n, need, n-1, s.cache.Need(n-1))
		}
		r, _ := s.open(nil, "")
		if got := s.cache.Free(); got != start {
			s.Fatalf("Open took %d positions", start-got)
		}
		s.grow(r, n)
		if got := start - s.cache.Free(); got != need {
			s.Fatalf("Grow(%d) took %d positions, Need said %d", n, got, need)
		}
		r.Close()
		if got := s.cache.Free(); got != start {
			s.Fatalf("after Close %d positions are missing", start-got)
		}
	}
}

// A cache need not share; what it says it has must be right.
func (s *suite) prefix() {
	random := rand.New(rand.NewPCG(4, 4))
	rows := rowsOf(s.shape, randomTokens(random, s.most()))
	n := len(rows.tokens)
	r, had := s.open(rows.tokens, "a")
	if had != 0 {
		s.Fatalf("an empty cache found %d tokens", had)
	}
	s.grow(r, n)
	for pos := range n {
		rows.put(r, pos)
	}
	r.Publish(rows.tokens[:n/2]) // the rest is not final
	s.reopen(rows, "a", n/2)
	r.Publish(rows.tokens)
	r.Close()
	s.reopen(rows, "a", n)
	s.reopen(rows, "b", 0)
	s.reopen(rows, "", 0)
	if again, had := s.open(nil, "a"); had != 0 {
		s.Errorf("Open without tokens found %d", had)
	} else {
		again.Close()
	}
}

// reopen opens rows' tokens, and ever shorter heads of them, and checks the
// rows of what was found, which may be at most most.
func (s *suite) reopen(rows *rows, salt string, most int) {
	s.Helper()
	for n := len(rows.tokens); n > 0; n = n * 2 / 3 {
		r, had := s.open(rows.tokens[:n], salt)
		if had > most {
			s.Errorf("Open found %d tokens under salt %q, where %d are published", had, salt, most)
		}
		rows.check(s, r, had)
		r.Close()
	}
}

func (s *suite) closeTwice() {
	r, _ := s.open(nil, "")
	s.grow(r, 1)
	r.Close()
	free := s.cache.Free()
	defer func() {
		if recover() == nil {
			s.Error("a second Close did not panic")
		}
		if got := s.cache.Free(); got != free {
			s.Errorf("a second Close changed Free from %d to %d", free, got)
		}
	}()
	r.Close()
}
