package batch

import (
	"errors"
	"slices"
	"time"

	"example.com/minillm/kvcache"
)

// group is what Static and Continuous share: a queue in order of arrival, and
// the sequences that run, each with memory for all it can come to need, so that
// nothing has to be preempted.
type group struct {
	cache   kvcache.Cache
	places  int
	waiting []*Sequence
	running []*Sequence
	work    []Work
	stats   Stats
}

// Add takes a sequence at the end of the queue.
func (g *group) Add(s *Sequence) error {
	if err := s.Fits(g.cache); err != nil {
		return err
	}
	g.waiting = append(g.waiting, s)
	return nil
}

// Remove cancels a sequence and gives its memory back.
func (g *group) Remove(s *Sequence) {
	s.Cancel()
	s.Evict()
	g.waiting = without(g.waiting, s)
	g.running = without(g.running, s)
}

// Stats returns the counters.
func (g *group) Stats() Stats {
	g.stats.Waiting, g.stats.Running = len(g.waiting), len(g.running)
	return g.stats
}

// retire drops what has ended. Sequences whose deadline passes are reported.
func (g *group) retire(now time.Time) {
	g.work = g.work[:0]
	g.waiting = slices.DeleteFunc(g.waiting, func(s *Sequence) bool { return g.ended(s, now) })
	g.running = slices.DeleteFunc(g.running, func(s *Sequence) bool { return g.ended(s, now) })
}

// ended reports whether s has ended, or does so now.
func (g *group) ended(s *Sequence, now time.Time) bool {
	if s.Finish() == Running && s.Overdue(now) {
		s.Expire()
		g.stats.Expired++
		g.work = append(g.work, Work{Seq: s})
	}
	if s.Finish() != Running {
		s.Evict()
		return true
	}
	return false
}

// admit fills free places from the head of the queue while memory lasts.
func (g *group) admit(now time.Time) {
	for len(g.waiting) > 0 && len(g.running) < g.places {
		s := g.waiting[0]
		switch err := g.open(s); {
		case errors.Is(err, kvcache.ErrFull):
			return
		case err != nil:
			s.Fail(err)
			g.work = append(g.work, Work{Seq: s})
		default:
			s.Start(now)
			g.stats.Admitted++
			g.running = append(g.running, s)
		}
		g.waiting = slices.Delete(g.waiting, 0, 1)
	}
}

// open gives s all the memory it can come to need, or none.
func (g *group) open(s *Sequence) error {
	err := s.Admit(g.cache)
	if err == nil {
		err = s.Reserve(s.Longest(g.cache) - s.Computed())
	}
	if err != nil {
		s.Evict()
	}
	return err
}

// plan hands out all that is pending.
func (g *group) plan() []Work {
	for _, s := range g.running {
		g.work = append(g.work, Work{s, s.Pending()})
	}
	return g.work
}

func without(list []*Sequence, s *Sequence) []*Sequence {
	if i := slices.Index(list, s); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}
