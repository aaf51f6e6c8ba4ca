package par

import (
	"runtime"
	"sync/atomic"
)

// line is the distance that keeps two words from sharing a cache line, twice
// the line so that the processor's neighbour prefetch does not couple them.
const line = 128

// Team is a fixed number of workers. Only one goroutine at a time may call Run
// or Close; regions of one team neither overlap nor nest.
type Team struct {
	workers []Worker
	hot     int // polls before the first yield
	closed  bool

	_       [line]byte
	f       func(*Worker) // of the last region begun; beside started, because both are read together
	started atomic.Uint32 // regions begun
	_       [line]byte
	arrived atomic.Uint32 // arrivals at barriers since the last reset
	_       [line]byte
	ended   atomic.Uint32 // regions left by workers other than the caller
	_       [line]byte
	failure atomic.Pointer[failure] // the first panic of this region
	_       [line]byte
}

// failure is what a panicking worker leaves for the caller.
type failure struct{ value any }

// Worker is one member of a team inside a region. It must not be used by any
// goroutine but the one it was handed to, nor after the region has ended.
type Worker struct {
	ID int // from 0, the goroutine that called Run, to N-1
	N  int // workers in the team

	team    *Team
	regions uint32 // regions begun, as this worker counts them
	meets   uint32 // value of arrived at which the next barrier opens, less N

	_      [line]byte
	parked atomic.Bool // the worker blocks on wake, or is about to
	wake   chan struct{}
	_      [line]byte
}

// NewTeam returns a team of n workers, of which n-1 are goroutines that live
// until Close. It panics if n is less than one. More workers than GOMAXPROCS
// work, and are slow.
func NewTeam(n int) *Team {
	if n < 1 {
		panic("par: team without workers")
	}
	t := &Team{workers: make([]Worker, n), hot: hotPolls}
	if runtime.GOMAXPROCS(0) < n {
		t.hot = 0
	}
	for i := range t.workers {
		t.workers[i] = Worker{ID: i, N: n, team: t, wake: make(chan struct{}, 1)}
	}
	for i := range t.workers[1:] {
		go t.workers[i+1].serve()
	}
	return t
}

// Size returns the number of workers.
func (t *Team) Size() int { return len(t.workers) }

// Run calls f once on every worker, worker 0 being the calling goroutine, and
// returns when all calls have returned. If one of them panics, the others are
// released from their barriers and Run panics with the same value. Run does
// not allocate.
func (t *Team) Run(f func(*Worker)) {
	if t.closed {
		panic("par: Run after Close")
	}
	t.f = f
	t.started.Add(1)
	t.unpark(t.workers[1:])
	defer t.join()
	t.workers[0].call(f)
}

// join waits for the other workers and passes a panic on. It is deferred, so
// that not even runtime.Goexit leaves a region half done.
func (t *Team) join() {
	w := &t.workers[0]
	w.regions++
	w.wait(&t.ended, w.regions*uint32(w.N-1), false)
	fail := t.failure.Load()
	if fail == nil {
		return
	}
	t.failure.Store(nil)
	t.arrived.Store(0)
	for i := range t.workers {
		t.workers[i].meets = 0
	}
	if fail.value != released {
		panic(fail.value)
	}
}

// Close ends the team's goroutines and waits until they no longer touch the
// team. Closing twice does nothing.
func (t *Team) Close() {
	if t.closed {
		return
	}
	t.closed = true
	t.f = nil
	t.started.Add(1)
	t.unpark(t.workers[1:])
	w := &t.workers[0]
	w.regions++
	w.wait(&t.ended, w.regions*uint32(w.N-1), false)
}
