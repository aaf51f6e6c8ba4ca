package serve

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"example.com/minillm/batch"
)

// Options of an engine; zero values are the defaults.
type Options struct {
	MaxWaiting       int // most requests that wait for their first step: 1024
	MaxWaitingTokens int // most prompt tokens of those: 1 Mi
	Observer         Observer
	Cache            func() CacheStats // is asked by the loop, for the observer
}

// Engine computes the requests of many goroutines together. Its loop, Run, is
// the only owner of the policy, the cache behind it and the sequences; all
// others reach them through its inbox, which it empties between steps.
type Engine struct {
	runner *batch.Runner
	policy batch.Policy
	o      Options

	mu      sync.Mutex
	inbox   []func()
	closing bool // refuse what comes, finish what is there
	closed  bool // the loop has ended
	waiting int  // requests and prompt tokens that wait for their first step
	tokens  int
	wake    chan struct{}

	progress atomic.Int64 // when something last moved, in Unix nanoseconds
	load     atomic.Int64 // requests that are not finished

	// Owned by the loop.
	live  map[*batch.Sequence]*Stream
	spare []func() // the inbox's other buffer
	over  bool     // the loop is ending
	info  StepInfo // what the observer is told next
	quiet bool     // the observer knows that nothing is left to do
}

// New returns an engine over a runner and a policy, which belong to it from
// now on. It computes nothing until Run is called.
func New(r *batch.Runner, p batch.Policy, o Options) *Engine {
	if o.MaxWaiting == 0 {
		o.MaxWaiting = 1024
	}
	if o.MaxWaitingTokens == 0 {
		o.MaxWaitingTokens = 1 << 20
	}
	return &Engine{runner: r, policy: p, o: o, wake: make(chan struct{}, 1), live: map[*batch.Sequence]*Stream{}}
}

// Submit queues one request for each spec; several are choices over the same
// prompt, of which the others join when the first one's prompt is computed and
// share its blocks. All are taken or none. It returns when the policy has taken
// or refused them: ErrBusy, ErrClosed, batch.ErrTooLong, batch.ErrEmpty.
func (e *Engine) Submit(ctx context.Context, specs ...batch.Spec) ([]*Stream, error) {
	if len(specs) == 0 {
		return nil, nil
	}
	streams := make([]*Stream, len(specs))
	now := time.Now()
	for i, spec := range specs {
		streams[i] = &Stream{engine: e, ctx: ctx, seq: batch.NewSequence(spec), feed: newFeed[Event](), submitted: now}
		streams[i].lead = streams[0].seq
	}
	if err := e.reserve(streams); err != nil {
		return nil, err
	}
	reply := make(chan error, 1)
	if !e.send(func() { reply <- e.add(streams) }) {
		return nil, ErrClosed
	}
	select {
	case err := <-reply:
		if err != nil {
			return nil, err
		}
		return streams, nil
	case <-ctx.Done():
		for _, s := range streams {
			s.Cancel()
		}
		return nil, context.Cause(ctx)
	}
}

// reserve takes places in the queue, or says why there are none.
func (e *Engine) reserve(streams []*Stream) error {
	n, tokens := len(streams), 0
	for _, s := range streams {
		tokens += s.seq.Prompt()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closing || e.closed:
		return ErrClosed
	case e.waiting+n > e.o.MaxWaiting:
		return fmt.Errorf("%w: %d requests, at most %d", ErrBusy, e.waiting, e.o.MaxWaiting)
	case e.waiting > 0 && e.tokens+tokens > e.o.MaxWaitingTokens:
		return fmt.Errorf("%w: %d prompt tokens, at most %d", ErrBusy, e.tokens, e.o.MaxWaitingTokens)
	}
	for _, s := range streams {
		s.queued = true
	}
	e.waiting += n
	e.tokens += tokens
	e.load.Add(int64(n))
	return nil
}

// send puts f into the inbox, to be called by the loop. It reports false after
// the loop's end, when there is nothing left to do anything to.
func (e *Engine) send(f func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.inbox = append(e.inbox, f)
	select {
	case e.wake <- struct{}{}:
	default:
	}
	return true
}

// Load returns how many requests wait or run, and for how long nothing has
// moved while some do. Any goroutine may call it.
func (e *Engine) Load() (requests int, stalled time.Duration) {
	requests = int(e.load.Load())
	if at := e.progress.Load(); requests > 0 && at != 0 {
		stalled = time.Since(time.Unix(0, at))
	}
	return requests, stalled
}

// Draining reports whether new requests are refused. Any goroutine may call it.
func (e *Engine) Draining() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closing || e.closed
}

// Drain refuses new requests from now on; Run returns when those that are
// there have finished. Any goroutine may call it.
func (e *Engine) Drain() {
	e.mu.Lock()
	e.closing = true
	e.mu.Unlock()
	e.send(func() {})
}
