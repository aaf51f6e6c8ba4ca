package scheduler

import (
	"errors"
	"sort"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/kvcache"
)

// crowd is how many may be parked; when so many follow running sequences, the
// others wait too.
const crowd = 64

// retry is after how many steps a sequence that found no room looks again,
// though no memory has become free: others may have computed its prefix.
const retry = 16

// blocked is the last sequence that found no room, and what was free then.
type blocked struct {
	it   *item
	free int
	step int
}

// admit gives memory to those that wait, in turn, while budget, places and
// memory last. Nobody overtakes the one whose turn it is, or a long sequence
// would wait for ever.
func (s *Scheduler) admit(now time.Time) {
	for s.rest > 0 && len(s.running) < s.cfg.MaxSeqs && len(s.parked) < crowd {
		it, rank := s.queue.next(now)
		switch {
		case it == nil || s.isBlocked(it):
			return
		case it.seq.Finish() != batch.Running:
			s.drop(it)
		case s.follow(it):
			s.queue.remove(it)
			s.park(it)
		case !s.open(it):
			return
		case it.state == waiting:
			s.queue.remove(it)
			s.start(it, rank, now)
		}
	}
}

// isBlocked reports whether it found no room and nothing speaks for looking again.
func (s *Scheduler) isBlocked(it *item) bool {
	b := &s.blocked
	return b.it == it && s.cache.Free() <= b.free && s.steps < b.step+retry
}

// open takes memory for all tokens of it, whole blocks, and leaves the
// watermark to those that run. It reports false if there is not so much.
func (s *Scheduler) open(it *item) bool {
	if err := it.seq.Admit(s.cache); err != nil {
		return s.refused(it, err)
	}
	spare := s.cfg.Watermark
	if len(s.running) == 0 {
		spare = 0
	}
	need := s.cache.Need(len(it.seq.Tokens())) - it.seq.Computed()
	if s.cache.Free()-need < spare {
		it.seq.Evict()
		return s.refused(it, kvcache.ErrFull)
	}
	if err := it.seq.Reserve(it.seq.Pending()); err != nil {
		it.seq.Evict()
		return s.refused(it, err)
	}
	return true
}

// refused lets it wait on, or ends it if waiting is no help; then others may try.
func (s *Scheduler) refused(it *item, err error) bool {
	if len(s.running) > 0 && errors.Is(err, kvcache.ErrFull) {
		s.blocked = blocked{it, s.cache.Free(), s.steps}
		return false
	}
	s.fail(it, err)
	return true
}

// start puts it among the running and hands it a first stretch.
func (s *Scheduler) start(it *item, rank int, now time.Time) {
	found := it.seq.Computed()
	s.stats.Admitted++
	s.stats.Regained += int64(min(found, it.lost))
	it.seq.Start(now)
	s.started(it)
	it.state, it.rank, it.lost = running, rank, 0
	it.charged = max(it.charged, found)
	i := sort.Search(len(s.running), func(i int) bool { return ahead(it, s.running[i]) })
	s.running = append(s.running, nil)
	copy(s.running[i+1:], s.running[i:])
	s.running[i] = it
	n := min(it.seq.Pending(), s.rest)
	if s.queue.n > 0 {
		n = min(n, half(s.rest))
	}
	it.n = n
	s.rest -= n
	if it.seq.Pending() > 1 {
		s.long = append(s.long, it)
	}
}

// ahead is the order of those that run: what makes one the last, and the first
// to lose its memory, is its class, then its youth. It does not change while
// they run, so that no two of them take the memory from each other in turns.
func ahead(a, b *item) bool {
	if a.rank != b.rank {
		return a.rank < b.rank
	}
	return a.order < b.order
}

// started ends the wait: from now on only the deadline counts.
func (s *Scheduler) started(it *item) {
	deadline := it.seq.Spec().Deadline
	if it.at < 0 || it.expires.Equal(deadline) {
		return
	}
	it.expires = deadline
	if deadline.IsZero() {
		s.expiry.remove(it.at)
	} else {
		s.expiry.fix(it.at)
	}
}
