package serve

import (
	"context"
	"fmt"
	"time"

	"example.com/minillm/batch"
)

// again is how soon a policy is asked once more when requests wait and it
// planned nothing.
const again = 10 * time.Millisecond

// Run is the loop: take what came in, schedule, step, emit. It returns ctx's
// error when ctx ends, and nil when the engine is drained; requests that are
// left then end with ErrClosed. It must be called once.
//
// A step that fails or panics costs the requests that were in it, a panic of
// the policy or the cache those that are there; they end with an error that
// says so, and the loop goes on.
func (e *Engine) Run(ctx context.Context) error {
	defer e.shut()
	for {
		busy := e.turn(ctx)
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.drained() {
			return nil
		}
		if !busy {
			e.wait(ctx)
		}
	}
}

// receive does what came in.
func (e *Engine) receive() {
	e.mu.Lock()
	inbox := e.inbox
	e.inbox = e.spare[:0]
	e.mu.Unlock()
	for i, f := range inbox {
		if failure := e.contain("loop", f); failure != nil {
			e.restart(failure)
		}
		inbox[i] = nil
	}
	e.spare = inbox
}

func (e *Engine) drained() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closing && len(e.live) == 0 && len(e.inbox) == 0
}

// step plans and computes once. It reports whether there was anything to do.
func (e *Engine) step() bool {
	start := time.Now()
	work := e.policy.Schedule(start)
	if len(work) == 0 {
		if !e.quiet {
			e.quiet = true
			e.observe(nil, 0)
		}
		return false
	}
	e.quiet = false
	if err := e.compute(work); err != nil {
		for _, w := range work {
			w.Seq.Fail(err)
		}
	}
	now := time.Now()
	e.progress.Store(now.UnixNano())
	for _, w := range work {
		if s := e.live[w.Seq]; s != nil {
			e.advance(s, now)
		}
	}
	e.observe(work, now.Sub(start))
	return true
}

// compute runs one step; a panic in it is an error of that step.
func (e *Engine) compute(work []batch.Work) (err error) {
	defer func() {
		if p := recover(); p != nil {
			failure := recovered("step", p)
			e.panicked(failure)
			err = failure
		}
	}()
	if err := e.runner.Step(work); err != nil {
		return fmt.Errorf("serve: step: %w", err)
	}
	return nil
}

// observe tells the observer of a step, or that nothing is left to do.
func (e *Engine) observe(work []batch.Work, d time.Duration) {
	if e.o.Observer.Step == nil {
		return
	}
	info := e.info
	info.Duration, info.Policy = d, e.policy.Stats()
	for _, w := range work {
		if w.N > 0 {
			info.Sequences++
			info.Tokens += w.N
		}
	}
	e.contain("observer", func() {
		if e.o.Cache != nil {
			info.Cache = e.o.Cache()
		}
		e.o.Observer.Step(info)
	})
	e.info = StepInfo{TTFT: info.TTFT[:0], ITL: info.ITL[:0]}
}

// note keeps for the observer what came of s, of whose tokens sent were out before.
func (e *Engine) note(s *Stream, sent int, now time.Time) {
	if !s.counted && s.seq.PromptComputed() {
		s.counted = true
		e.info.Prompt += s.seq.Prompt()
		e.info.Cached += s.seq.Cached()
	}
	switch {
	case s.sent == sent:
		return
	case sent == 0:
		e.info.TTFT = append(e.info.TTFT, now.Sub(s.submitted))
	default:
		e.info.ITL = append(e.info.ITL, now.Sub(s.last))
	}
	s.last = now
}

// wait sleeps until something comes in, or until the policy should be asked
// again because requests wait that it could not place.
func (e *Engine) wait(ctx context.Context) {
	var timeout <-chan time.Time
	if len(e.live) > 0 {
		timer := time.NewTimer(again)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-e.wake:
	case <-timeout:
	case <-ctx.Done():
	}
}

// add gives the first of streams to the policy; the others follow it.
func (e *Engine) add(streams []*Stream) error {
	lead := streams[0]
	if err := e.take(lead); err != nil {
		for _, s := range streams {
			e.forget(s)
		}
		return err
	}
	lead.followers = streams[1:]
	for _, s := range streams {
		e.live[s.seq] = s
	}
	if len(e.live) == len(streams) {
		e.progress.Store(time.Now().UnixNano())
	}
	return nil
}

// take gives s to the policy. Should that panic, the policy is freed of s again.
func (e *Engine) take(s *Stream) (err error) {
	if e.over {
		return ErrClosed
	}
	if failure := e.contain("add", func() { err = e.policy.Add(s.seq) }); failure != nil {
		s.seq.Fail(failure)
		e.remove(s)
		return failure
	}
	return err
}

// advance emits what a step brought for s.
func (e *Engine) advance(s *Stream, now time.Time) {
	if s.seq.Finish() != batch.Running || !s.seq.Started().IsZero() {
		e.leaveQueue(s)
	}
	sent := s.sent
	ended := s.emit(now)
	if e.o.Observer.Step != nil {
		e.note(s, sent, now)
	}
	if len(s.followers) > 0 && (ended || s.seq.PromptComputed()) {
		e.follow(s, now)
	}
	if ended {
		e.retire(s, now)
	}
}

// follow gives the other choices to the policy: they find the prompt computed.
func (e *Engine) follow(lead *Stream, now time.Time) {
	for _, s := range lead.followers {
		if e.live[s.seq] == nil {
			continue // cancelled meanwhile
		}
		if err := e.take(s); err != nil {
			s.seq.Fail(err)
			e.advance(s, now)
		}
	}
	lead.followers = nil
}

// leave ends s wherever it is.
func (e *Engine) leave(s *Stream, end func(*batch.Sequence)) {
	if e.live[s.seq] == nil {
		return
	}
	end(s.seq)
	e.remove(s)
	e.advance(s, time.Now())
}

// retire drops a stream that has ended.
func (e *Engine) retire(s *Stream, now time.Time) {
	delete(e.live, s.seq)
	e.forget(s)
	if f := e.o.Observer.Finished; f != nil {
		e.contain("observer", func() {
			f(RequestInfo{
				Usage:  s.usage(),
				Timing: *s.timing(now),
				Finish: s.seq.Finish(),
				Max:    s.seq.Spec().Max,
				Err:    s.seq.Err(),

				Context: s.ctx,
			})
		})
	}
}

// leaveQueue stops counting s as waiting.
func (e *Engine) leaveQueue(s *Stream) {
	if !s.queued {
		return
	}
	s.queued = false
	e.mu.Lock()
	e.waiting--
	e.tokens -= s.seq.Prompt()
	e.mu.Unlock()
}

// forget stops counting s altogether.
func (e *Engine) forget(s *Stream) {
	e.leaveQueue(s)
	e.load.Add(-1)
}

// shut ends whatever is left, at the end of the loop.
func (e *Engine) shut() {
	e.over = true
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.receive()
	for _, s := range e.live {
		e.remove(s)
		e.abandon(s, ErrClosed)
	}
	e.contain("loop", func() { e.policy.Schedule(time.Now()) }) // gives back the memory of what has finished
}
