package par

import (
	"runtime"
	"sync/atomic"
)

// Polls are counted, not timed: a clock costs more than a poll, and stands
// still where tests replace it.
const (
	hotPolls  = 64  // polls a pause apart: a few microseconds
	warmPolls = 600 // polls a short burst of pauses and a yield apart: about a millisecond
	burst     = 30
)

// wait returns when word has reached target; both wrap around. At a barrier it
// also ends, by panic, when the region has failed.
func (w *Worker) wait(word *atomic.Uint32, target uint32, barrier bool) {
	t := w.team
	for polls := 0; ; polls++ {
		if int32(word.Load()-target) >= 0 {
			return
		}
		if barrier && t.failure.Load() != nil {
			panic(released)
		}
		switch {
		case polls < t.hot:
			pause(1)
		case polls < t.hot+warmPolls:
			if t.hot > 0 {
				pause(burst)
			}
			runtime.Gosched()
		default:
			w.park(word, target, barrier)
		}
	}
}

// park blocks until somebody calls unpark. Word is read again between the
// announcement and the blocking: whoever changes it looks for announcements
// afterwards, so one of the two always sees the other.
func (w *Worker) park(word *atomic.Uint32, target uint32, barrier bool) {
	w.parked.Store(true)
	done := int32(word.Load()-target) >= 0 || barrier && w.team.failure.Load() != nil
	if done && w.parked.CompareAndSwap(true, false) {
		return
	}
	<-w.wake
}

// unpark wakes those of the workers that are parked.
func (t *Team) unpark(workers []Worker) {
	woken := false
	for i := range workers {
		w := &workers[i]
		if w.parked.Load() && w.parked.CompareAndSwap(true, false) {
			w.wake <- struct{}{}
			woken = true
		}
	}
	if woken {
		// The goroutine made ready last is meant to run when this one
		// blocks, and for tens of microseconds idle processors leave it
		// alone. This one will not block: push it on with another.
		go nothing()
	}
}

func nothing() {}
