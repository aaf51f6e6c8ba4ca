package serve

import (
	"context"
	"time"

	"example.com/minillm/batch"
)

// Observer is told what happens; nil fields are skipped. Its functions are
// called by the engine's loop between steps, so they must return quickly.
type Observer struct {
	Step     func(StepInfo)
	Finished func(RequestInfo)
	Panicked func(*PanicError) // one that was contained, also of these functions; any goroutine may call it
}

// StepInfo describes one step. After the last one of a busy time, and at the
// beginning, comes one of nothing, so that what it says of the engine's state
// is never out of date for long.
type StepInfo struct {
	Sequences int // in the step
	Tokens    int // computed
	Duration  time.Duration

	Prompt int             // tokens of the prompts that are computed now
	Cached int             // of those, found in the cache
	TTFT   []time.Duration // of the requests whose first token came; valid during the call
	ITL    []time.Duration // from the token before, of the other tokens that came; valid during the call

	Policy batch.Stats // after the step
	Cache  CacheStats  // likewise; zero where Options.Cache is not set
}

// CacheStats is the state of the memory for keys and values, in blocks.
type CacheStats struct {
	Blocks    int // all there are
	Used      int // by sequences
	BlockSize int // positions in a block
}

// RequestInfo describes a request that has ended.
type RequestInfo struct {
	Usage  Usage
	Timing Timing
	Finish batch.Finish
	Max    int   // new tokens asked for; 0: the rest of the context
	Err    error // why it failed; *PanicError has a stack

	Context context.Context // that it was submitted with, for the values in it, such as a trace; it may have ended
}

// Observers returns one that tells all of them, in order.
func Observers(all ...Observer) Observer {
	var o Observer
	for _, next := range all {
		o.Step = both(o.Step, next.Step)
		o.Finished = both(o.Finished, next.Finished)
		o.Panicked = both(o.Panicked, next.Panicked)
	}
	return o
}

func both[T any](a, b func(T)) func(T) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(x T) { a(x); b(x) }
}
