package scheduler

import (
	"fmt"
	"testing"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/kvcache"
)

// roomy is a cache of which only the counters exist.
type roomy struct{ free int }

func (c *roomy) Open([]int32, string) (kvcache.Region, int, error) { return &room{c: c}, 0, nil }
func (c *roomy) Need(n int) int                                    { return (n + 31) / 32 * 32 }
func (c *roomy) Free() int                                         { return c.free }
func (c *roomy) Limit() int                                        { return 1 << 20 }

type room struct {
	kvcache.KV
	c *roomy
	n int
}

func (r *room) Grow(n int) error {
	if need := r.c.Need(n); need > r.n {
		r.c.free -= need - r.n
		r.n = need
	}
	return nil
}
func (r *room) Publish([]int32) {}
func (r *room) Close()          { r.c.free += r.n }

// BenchmarkSchedule plans a step of 1,000 sequences that decode while others
// wait: all places are taken. Its cost must not grow with those that wait.
func BenchmarkSchedule(b *testing.B) {
	for _, waiting := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			s := New(&roomy{free: 32 << 20}, Config{MaxSeqs: 1000, MaxTokens: 1024})
			now := crowded(b, s, waiting)
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(time.Millisecond)
				if len(s.Schedule(now)) != 1000 {
					b.Fatal(s.Stats())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "µs/step")
		})
	}
}

func crowded(b testing.TB, s *Scheduler, waiting int) time.Time {
	now := time.Unix(0, 0)
	for i := range 1000 + waiting {
		seq := batch.NewSequence(batch.Spec{
			Prompt: []int32{int32(i)}, Max: 1 << 20, Priority: i % 5, Tenant: fmt.Sprint(i % 100), Deadline: now.Add(time.Hour * 10000),
		})
		if err := s.Add(seq); err != nil {
			b.Fatal(err)
		}
	}
	s.Schedule(now)
	return now
}
