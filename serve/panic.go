package serve

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// PanicError is a panic that was contained. It cost one request (In is "text",
// "add" or "remove"), those of a step ("step"), or, in the policy or the cache,
// all that were there ("loop"); one of an observer cost nothing ("observer").
// Front ends add words of their own.
// The stack is for whoever looks after the server, see Observer.Panicked and
// RequestInfo; its clients are not told.
type PanicError struct {
	In    string
	Value any
	Stack []byte
}

// Error says what went wrong.
func (e *PanicError) Error() string { return fmt.Sprintf("serve: %s panicked: %v", e.In, e.Value) }

// recovered makes an error of what recover returned.
func recovered(in string, value any) *PanicError {
	return &PanicError{in, value, debug.Stack()}
}

// contain calls f. A panic in it is returned, and told to the observer.
func (e *Engine) contain(in string, f func()) (failure *PanicError) {
	defer func() {
		if p := recover(); p != nil {
			failure = recovered(in, p)
			e.panicked(failure)
		}
	}()
	f()
	return nil
}

// panicked tells the observer, whose own panic then is nobody's any more.
func (e *Engine) panicked(p *PanicError) {
	if tell := e.o.Observer.Panicked; tell != nil {
		defer func() { recover() }()
		tell(p)
	}
}

// turn is one turn of the loop: it reports whether there was anything to do. A
// panic in it ends all requests that are there, because what the policy and the
// cache know of them can no longer be relied on; those that come later find the
// loop as if it had just begun.
func (e *Engine) turn(ctx context.Context) (busy bool) {
	e.receive()
	if ctx.Err() != nil || e.drained() {
		return false
	}
	if failure := e.contain("loop", func() { busy = e.step() }); failure != nil {
		e.restart(failure)
		return false
	}
	return busy
}

// restart ends all requests with failure and gives their memory back.
func (e *Engine) restart(failure *PanicError) {
	now := time.Now()
	for _, s := range e.live {
		s.seq.Fail(failure)
		s.followers = nil // they are among the live
		e.remove(s)
	}
	for _, s := range e.live {
		if e.contain("loop", func() { e.advance(s, now) }) != nil {
			e.abandon(s, failure)
		}
	}
	e.info = StepInfo{}
	e.quiet = false
	e.progress.Store(now.UnixNano())
}

// remove takes s out of the policy, which gives its memory back; where that
// panics, it is given back here.
func (e *Engine) remove(s *Stream) {
	if e.contain("remove", func() { e.policy.Remove(s.seq) }) == nil {
		return
	}
	s.seq.Cancel()
	e.contain("remove", s.seq.Evict)
}

// abandon ends s with err, as far as anybody else can tell.
func (e *Engine) abandon(s *Stream, err error) {
	if e.live[s.seq] != s {
		return
	}
	delete(e.live, s.seq)
	e.forget(s)
	s.err = err
	s.feed.close()
}
