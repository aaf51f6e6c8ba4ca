package batch

import (
	"context"
	"errors"
	"time"
)

// Policy decides what each step computes. It owns the sequences that were
// added, from one goroutine, until they end.
type Policy interface {
	// Add takes a new sequence: ErrTooLong or ErrEmpty if it could never be computed.
	Add(*Sequence) error

	// Remove cancels a sequence at any moment between steps and gives its memory
	// back at once. One that is not held is only cancelled.
	Remove(*Sequence)

	// Schedule retires what has ended and plans the next step; memory for the
	// work is reserved. A sequence that ended while it waited is reported once,
	// as Work with N 0. An empty plan: nothing to do. The slice is valid until
	// the next call.
	Schedule(now time.Time) []Work

	// Stats returns the counters; cheap enough to ask after every step.
	Stats() Stats
}

// Stats are the counters of a policy.
type Stats struct {
	Waiting int // sequences that wait for their first step, or again after a preemption
	Running int // sequences that have memory

	Admitted  int64 // sequences given memory since the start, again after a preemption included
	Preempted int64 // sequences whose memory was taken
	Lost      int64 // computed tokens that preemptions gave up
	Regained  int64 // of those, tokens found in the cache when the sequence was admitted again
	Expired   int64 // sequences that ended as Timeout
}

var errStuck = errors.New("batch: sequences wait and none runs")

// Run schedules and steps until nothing is left to do, ctx is done, or the
// model fails. A server adds sequences between steps; see package serve.
func Run(ctx context.Context, r *Runner, p Policy) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		work := p.Schedule(time.Now())
		if len(work) == 0 {
			if s := p.Stats(); s.Waiting+s.Running > 0 {
				return errStuck
			}
			return nil
		}
		if err := r.Step(work); err != nil {
			return err
		}
	}
}
