package bench

import (
	"fmt"
	"time"
)

// Load is what is sent to a target, and when. The zero value of each field but
// Requests is a default.
type Load struct {
	Requests []Request

	// Starts makes the loop open: Requests[i] is due at Starts[i] after the
	// beginning of the run, in ascending order. nil: the loop is closed.
	Starts []time.Duration

	// Clients is, in a closed loop, how many send a request when their last one
	// is answered: 1. In an open loop it bounds the requests under way: those
	// that are due wait for a free client, and the wait counts. 0 is no bound.
	Clients int

	WarmUp  []Request     // sent before the run in a closed loop of its own, and not measured
	MaxTime time.Duration // of the run: what is under way then is broken off; 0 is no bound
	Timeout time.Duration // of a request: 15 minutes
	Stall   time.Duration // without text before a request is given up, the first text included: 5 minutes

	// Progress, if set, is told how far the run is, five times a second and at
	// its end, by one goroutine.
	Progress func(Progress)
}

// Default bounds of a request. They are long: a busy server may let a request
// wait for minutes, and that is a measurement, not a failure.
const (
	defaultTimeout = 15 * time.Minute
	defaultStall   = 5 * time.Minute
)

func (l Load) withDefaults() Load {
	if l.Starts != nil && len(l.Starts) != len(l.Requests) {
		panic(fmt.Sprintf("bench: %d starts of %d requests", len(l.Starts), len(l.Requests)))
	}
	if l.Starts == nil {
		l.Clients = max(l.Clients, 1)
	}
	if l.Timeout == 0 {
		l.Timeout = defaultTimeout
	}
	if l.Stall == 0 {
		l.Stall = defaultStall
	}
	return l
}

// warmUp is the load that comes first.
func (l Load) warmUp() Load {
	l.Requests, l.WarmUp, l.Starts = l.WarmUp, nil, nil
	l.Clients, l.Progress = max(l.Clients, 1), nil
	return l
}
