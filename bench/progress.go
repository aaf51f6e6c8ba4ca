package bench

import (
	"sync/atomic"
	"time"
)

// Progress is how far a run is.
type Progress struct {
	Elapsed  time.Duration
	Requests int // of the load
	Sent     int // turns of conversations count singly
	Answered int
	Failed   int           // broken off by the end of the run included
	Tokens   int           // that came so far, by pieces where the server does not count each
	TTFT     time.Duration // mean so far; 0 where no text came yet
}

// TokensPerSecond is the mean so far.
func (p Progress) TokensPerSecond() float64 { return per(float64(p.Tokens), p.Elapsed) }

// counts are written by every request under way.
type counts struct {
	started, answered, failed atomic.Int64
	tokens, firsts, ttft      atomic.Int64
}

func (c *counts) sent() { c.started.Add(1) }

// piece counts the last piece of t.
func (c *counts) piece(t *Trace) {
	c.tokens.Add(int64(t.Pieces[len(t.Pieces)-1].tokens()))
	if len(t.Pieces) == 1 {
		c.firsts.Add(1)
		c.ttft.Add(int64(t.Pieces[0].At - t.Due))
	}
}

func (c *counts) ended(t *Trace) {
	if t.Err == nil {
		c.answered.Add(1)
	} else {
		c.failed.Add(1)
	}
}

func (r *run) progress() Progress {
	c := &r.counts
	return Progress{
		Elapsed:  r.now(),
		Requests: len(r.load.Requests),
		Sent:     int(c.started.Load()),
		Answered: int(c.answered.Load()),
		Failed:   int(c.failed.Load()),
		Tokens:   int(c.tokens.Load()),
		TTFT:     time.Duration(c.ttft.Load() / max(c.firsts.Load(), 1)),
	}
}

// observe tells Load.Progress how far the run is, until stop is called.
func (r *run) observe() (stop func()) {
	if r.load.Progress == nil {
		return func() {}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.load.Progress(r.progress())
			case <-quit:
				r.load.Progress(r.progress())
				return
			}
		}
	}()
	return func() { close(quit); <-done }
}
