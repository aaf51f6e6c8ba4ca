package bench

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Run sends a load to a target and returns a trace of every request that was
// due before the run ended, in the order of the requests. When ctx is done the
// run ends: what is under way is broken off, and what was measured is returned.
func Run(ctx context.Context, t Target, l Load) []Trace {
	l = l.withDefaults()
	if len(l.WarmUp) > 0 {
		Run(ctx, t, l.warmUp())
	}
	if l.MaxTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.MaxTime, failf(Interrupted, "the time of the run was over"))
		defer cancel()
	}
	r := &run{target: t, load: l, start: time.Now()}
	stop := r.observe()
	defer stop()
	if l.Starts == nil {
		r.closed(ctx)
	} else {
		r.open(ctx)
	}
	slices.SortFunc(r.traces, func(a, b Trace) int { return cmp.Or(a.ID-b.ID, a.Turn-b.Turn) })
	return r.traces
}

// run is a run under way.
type run struct {
	target Target
	load   Load
	start  time.Time
	counts counts

	mu     sync.Mutex
	traces []Trace
}

// now is the time since the run began.
func (r *run) now() time.Duration { return time.Since(r.start) }

// closed lets each client send the next request when its last one is answered.
func (r *run) closed(ctx context.Context) {
	var next atomic.Int64
	var clients sync.WaitGroup
	for range r.load.Clients {
		clients.Go(func() {
			for ctx.Err() == nil {
				id := int(next.Add(1)) - 1
				if id >= len(r.load.Requests) {
					return
				}
				r.converse(ctx, id, r.now())
			}
		})
	}
	clients.Wait()
}

// open sends each request when it is due. The loop itself waits for nothing
// else, so that a slow server does not slow the load down.
func (r *run) open(ctx context.Context) {
	var places chan struct{} // nil: no bound
	if r.load.Clients > 0 {
		places = make(chan struct{}, r.load.Clients)
	}
	var requests sync.WaitGroup
	for id, due := range r.load.Starts {
		if !r.until(ctx, due) {
			break
		}
		requests.Go(func() {
			if places != nil {
				select {
				case places <- struct{}{}:
					defer func() { <-places }()
				case <-ctx.Done(): // converse notes that it was broken off
				}
			}
			r.converse(ctx, id, due)
		})
	}
	requests.Wait()
}

// until waits for a time of the run, and reports whether the run goes on.
func (r *run) until(ctx context.Context, due time.Duration) bool {
	wait := due - r.now()
	if wait <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// converse asks a request and its further turns, each due after the answer to
// the one before. A turn without an answer ends the conversation.
func (r *run) converse(ctx context.Context, id int, due time.Duration) {
	q := r.load.Requests[id]
	for turn := 0; ; turn++ {
		trace, answer := r.ask(ctx, q, due)
		trace.ID, trace.Turn = id, turn
		r.note(trace)
		if len(q.Then) == 0 || trace.Err != nil {
			return
		}
		next := q.Then[0]
		due = trace.End + next.Think
		if !r.until(ctx, due) {
			return
		}
		q = Request{
			Messages:  append(slices.Clip(q.Messages), Message{"assistant", answer}, Message{"user", next.Content}),
			MaxTokens: next.MaxTokens,
			Then:      q.Then[1:],
		}
	}
}

func (r *run) note(t Trace) {
	r.counts.ended(&t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.traces = append(r.traces, t)
}
