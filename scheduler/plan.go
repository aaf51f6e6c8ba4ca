package scheduler

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/kvcache"
)

// Schedule plans the next step: one token for each sequence that decodes, then
// stretches of prompts, then whoever can be admitted. Memory is reserved as work
// is handed out.
func (s *Scheduler) Schedule(now time.Time) []batch.Work {
	s.begin(now)
	s.decode()
	s.prefill()
	if !s.evicted {
		s.admit(now)
	}
	s.fill()
	return s.commit()
}

// begin takes in what has happened since the last step.
func (s *Scheduler) begin(now time.Time) {
	s.steps++
	s.rest, s.evicted, s.work = s.cfg.MaxTokens, false, s.work[:0]
	for _, it := range s.fresh {
		if it.state == fresh {
			s.arrive(it, now)
		}
	}
	clear(s.fresh)
	s.fresh = s.fresh[:0]
	s.expire(now)
	s.retire()
	s.unpark()
}

// arrive lets it wait.
func (s *Scheduler) arrive(it *item, now time.Time) {
	it.since = now
	it.expires = it.seq.Spec().Deadline
	if t := now.Add(s.cfg.QueueTimeout); s.cfg.QueueTimeout > 0 && (it.expires.IsZero() || t.Before(it.expires)) {
		it.expires = t
	}
	if !it.expires.IsZero() {
		s.expiry.push(it)
	}
	s.queue.insert(it)
}

// expire ends those whose time is up.
func (s *Scheduler) expire(now time.Time) {
	for len(s.expiry.list) > 0 && now.After(s.expiry.list[0].expires) {
		it := s.expiry.list[0]
		if it.seq.Finish() == batch.Running {
			it.seq.Expire()
			s.stats.Expired++
			s.report(it)
		}
		s.drop(it)
	}
}

// retire gives back the memory of those that have ended.
func (s *Scheduler) retire() {
	kept := s.running[:0]
	for _, it := range s.running {
		switch {
		case it.state != running: // a panic of the cache left it here
		case it.seq.Finish() == batch.Running:
			kept = append(kept, it)
		default:
			s.forget(it)
		}
	}
	clear(s.running[len(kept):])
	s.running = kept
}

// decode hands out one token to each sequence that has just one pending.
func (s *Scheduler) decode() {
	clear(s.long)
	s.long = s.long[:0]
	for i := 0; i < len(s.running); i++ { // give may shorten it
		it := s.running[i]
		if it.seq.Pending() == 1 {
			s.give(it, 1)
		} else {
			s.long = append(s.long, it)
		}
	}
}

// prefill shares the rest among those with more pending, in order. None gets
// more than half of what is left while another wants some: so a short prompt
// starts beside a long one.
func (s *Scheduler) prefill() {
	for i, it := range s.long {
		if it.state != running {
			continue
		}
		n := min(it.seq.Pending(), s.rest)
		if i+1 < len(s.long) || s.queue.n > 0 {
			n = min(n, half(s.rest))
		}
		if n > 0 {
			s.give(it, n)
		}
	}
}

func half(n int) int { return n - n/2 }

// fill hands what is left of the budget to those who could use more, where
// memory allows.
func (s *Scheduler) fill() {
	for _, it := range s.long {
		if s.rest == 0 {
			return
		}
		if it.state != running {
			continue
		}
		n := min(it.seq.Pending()-it.n, s.rest)
		if it.seq.Reserve(it.n+n) == nil {
			it.n += n
			s.rest -= n
		}
	}
}

// give plans n tokens of it. If there is no memory for them, the last in the
// order loses its own; at the very last it itself.
func (s *Scheduler) give(it *item, n int) {
	for {
		err := it.seq.Reserve(n)
		if err == nil {
			it.n = n
			s.rest -= n
			return
		}
		if len(s.running) == 1 || !errors.Is(err, kvcache.ErrFull) {
			s.fail(it, err)
			return
		}
		last := s.running[len(s.running)-1]
		s.preempt(last)
		if last == it {
			return
		}
	}
}

// preempt takes the memory of the last in the order and lets it wait again.
// What was planned for it is dropped. Its blocks stay findable until they are
// reused: what it lost is often found again.
func (s *Scheduler) preempt(it *item) {
	s.evicted = true
	s.rest += it.n
	it.n = 0
	it.lost = it.seq.Computed()
	s.stats.Preempted++
	s.stats.Lost += int64(it.lost)
	it.seq.Evict()
	s.running[len(s.running)-1] = nil
	s.running = s.running[:len(s.running)-1]
	s.queue.insert(it)
}

// fail ends it for want of memory that no preemption could give, or for what
// the cache said.
func (s *Scheduler) fail(it *item, err error) {
	it.seq.Fail(fmt.Errorf("scheduler: %w", err))
	s.rest += it.n
	it.n = 0
	s.report(it)
	s.drop(it)
}

// report tells the caller that it ended by the scheduler's hand.
func (s *Scheduler) report(it *item) {
	s.work = append(s.work, batch.Work{Seq: it.seq})
}

// commit writes the plan down and charges the tenants for it.
func (s *Scheduler) commit() []batch.Work {
	for _, it := range s.running {
		if it.n == 0 {
			continue
		}
		s.work = append(s.work, batch.Work{Seq: it.seq, N: it.n})
		s.charge(it)
		it.n = 0
	}
	return s.work
}

// charge counts the tokens of it that are computed for the first time: neither
// those found in the cache nor those that a preemption lost.
func (s *Scheduler) charge(it *item) {
	n := it.n
	if !it.seq.Spec().NoCache {
		done := it.seq.Computed() + n
		n = max(0, done-it.charged)
		it.charged = max(it.charged, done)
	}
	if n > 0 {
		s.queue.charge(it.lane.tenant, n)
	}
}

func without[T comparable](list []T, x T) []T {
	if i := slices.Index(list, x); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}
