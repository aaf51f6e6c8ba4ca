package scheduler

import (
	"fmt"
	"testing"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/kvcache"
	"example.com/minillm/paged"
)

const (
	seats  = 1000      // sequences that run
	blocks = 1_000_000 // of the cache, all of them with prefixes that can be found
	block  = 16
)

// full returns a cache of a million blocks, each with a prefix from other times.
// Only the bookkeeping is real: a row takes four bytes.
func full(b testing.TB) kvcache.Cache {
	c, err := paged.New(kvcache.Shape{Layers: 1, Heads: 1, HeadDim: 1}, paged.Options{Positions: blocks * block, Block: block})
	if err != nil {
		b.Fatal(err)
	}
	const text = 1000 * block
	tokens := make([]int32, text)
	for i := range blocks * block / text {
		for j := range tokens {
			tokens[j] = int32(i + j)
		}
		r, _, err := c.Open(nil, "")
		if err == nil {
			err = r.Grow(text)
		}
		if err != nil {
			b.Fatal(err)
		}
		r.Publish(tokens)
		r.Close()
	}
	if s := c.Stats(); s.Cached != blocks {
		b.Fatalf("%+v", s)
	}
	return c
}

// crowded adds sequences of 100 tenants and 5 classes until all seats are taken and
// so many wait.
func crowded(b testing.TB, waiting int) (s *Scheduler, now time.Time) {
	s, now = New(full(b), Config{MaxSeqs: seats, MaxTokens: seats + 24}), time.Unix(0, 0)
	for i := range seats + waiting {
		visitor(b, s, i, now)
	}
	s.Schedule(now)
	return s, now
}

// visitor adds sequence number i. One token is pending, and none is computed,
// because no model runs here: it decodes for ever.
func visitor(b testing.TB, s *Scheduler, i int, now time.Time) {
	seq := batch.NewSequence(batch.Spec{
		Prompt: []int32{int32(i)}, Max: 1 << 20, Priority: i % 5, Tenant: tenants100[i%100], Deadline: now.Add(time.Duration(1e6+i) * time.Second),
	})
	if err := s.Add(seq); err != nil {
		b.Fatal(err)
	}
}

var tenants100 = func() (names [100]string) {
	for i := range names {
		names[i] = fmt.Sprint("tenant ", i)
	}
	return names
}()

// BenchmarkSchedule plans a step of 1,000 sequences that decode while others
// wait for a seat, over a million cached blocks.
func BenchmarkSchedule(b *testing.B) {
	for _, waiting := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			s, now := crowded(b, waiting)
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(time.Millisecond)
				if len(s.Schedule(now)) != seats {
					b.Fatal(s.Stats())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e3, "µs/step")
		})
	}
}

// BenchmarkChange is a step in which one sequence has ended, one takes its seat
// and one arrives. It allocates what belongs to the two, no more.
func BenchmarkChange(b *testing.B) {
	for _, waiting := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			s, now := crowded(b, waiting)
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(time.Millisecond)
				s.Remove(s.running[i%seats].seq)
				visitor(b, s, i, now)
				if i++; len(s.Schedule(now)) != seats {
					b.Fatal(s.Stats())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e3, "µs/step")
		})
	}
}

func TestScheduleDoesNotAllocate(t *testing.T) {
	s := New(pages(t, 1<<16, 16), Config{MaxSeqs: seats, MaxTokens: seats})
	now := time.Unix(0, 0)
	for i := range seats + 1000 {
		visitor(t, s, i, now)
	}
	s.Schedule(now)
	if n := testing.AllocsPerRun(100, func() { s.Schedule(now) }); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}
