package serve

import (
	"context"
	"iter"
	"time"

	"example.com/minillm/batch"
)

// Event is one token, or the end, of a request. The last event has Finish,
// Usage and Timing.
type Event struct {
	Token   int32     // -1 where the request ended without another
	Logprob *Logprob  // of the token, if asked for
	Prompt  []Logprob // with the first event: of the prompt's tokens, if asked for
	Finish  batch.Finish
	Usage   *Usage
	Timing  *Timing
}

// Stream is the tokens of one request as they come. It has one reader.
type Stream struct {
	engine *Engine
	ctx    context.Context // of Submit: for the observer, who looks for values in it
	seq    *batch.Sequence
	feed   *feed[Event]
	lead   *batch.Sequence // of the first choice, which alone scores the prompt

	// Owned by the engine's loop until the feed is closed.
	sent      int // output tokens already in the feed
	submitted time.Time
	first     time.Time // when the first token came
	last      time.Time // when the last one came
	followers []*Stream // choices that join when the prompt is computed
	queued    bool      // counted as waiting
	counted   bool      // its prompt was told to the observer
	err       error     // set before the feed is closed
}

// Events yields the tokens as they come. It ends after the event with Finish,
// or with an error: what failed, ErrClosed, or the cause why ctx ended. Leaving
// the loop cancels the request.
func (s *Stream) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		defer s.Cancel()
		var buf []Event
		for {
			events, err := s.feed.next(ctx, buf)
			if err != nil {
				yield(Event{Token: -1}, err)
				return
			}
			for _, e := range events {
				if !yield(e, nil) || e.Finish != batch.Running {
					return
				}
			}
			if len(events) == 0 {
				yield(Event{Token: -1}, s.err)
				return
			}
			buf = events
		}
	}
}

// Cancel ends the request at the next step, if it has not ended. Any goroutine
// may call it.
func (s *Stream) Cancel() { s.leave((*batch.Sequence).Cancel) }

// Stop is Cancel of a request whose answer is whole, as far as it has come: it
// ends as batch.Stop. Any goroutine may call it.
func (s *Stream) Stop() { s.leave((*batch.Sequence).Stop) }

func (s *Stream) leave(end func(*batch.Sequence)) {
	s.engine.send(func() { s.engine.leave(s, end) })
}

// Sequence returns what was computed beside the tokens: log-probabilities, the
// embedding. It may be read only after the last event.
func (s *Stream) Sequence() *batch.Sequence { return s.seq }

// emit moves what is new of the sequence into the feed and reports whether it
// has ended.
func (s *Stream) emit(now time.Time) (ended bool) {
	out := s.seq.Output()
	for ; s.sent < len(out); s.sent++ {
		if s.first.IsZero() {
			s.first = now
		}
		e := Event{Token: out[s.sent], Logprob: s.logprob(s.sent), Prompt: s.promptLogprobs()}
		if s.sent == len(out)-1 {
			s.finish(&e, now)
		}
		s.feed.put(e)
		ended = e.Finish != batch.Running
	}
	if !ended && s.seq.Finish() != batch.Running {
		s.end(now)
		ended = true
	}
	return ended
}

// logprob returns that of output token i, if it was asked for.
func (s *Stream) logprob(i int) *Logprob {
	all := s.seq.Logprobs()
	if i >= len(all) {
		return nil
	}
	return &Logprob{Logprob: all[i][0], Top: all[i][1:]}
}

// end closes the feed of a sequence that ended without another token.
func (s *Stream) end(now time.Time) {
	if s.err = s.seq.Err(); s.err == nil {
		e := Event{Token: -1, Prompt: s.promptLogprobs()}
		s.finish(&e, now)
		s.feed.put(e)
	}
	s.feed.close()
}

// promptLogprobs returns those of the prompt for the first event, if they were
// asked for and all of the prompt was computed.
func (s *Stream) promptLogprobs() []Logprob {
	scores := s.lead.PromptLogprobs()
	if s.sent > 0 || len(scores) < s.lead.Prompt() {
		return nil
	}
	all := make([]Logprob, len(scores))
	all[0].ID = s.lead.Tokens()[0] // which nothing predicts
	for i, score := range scores {
		if len(score) > 0 {
			all[i] = Logprob{Logprob: score[0], Top: score[1:]}
		}
	}
	return all
}

// finish adds to the last event what is known at the end.
func (s *Stream) finish(e *Event, now time.Time) {
	f := s.seq.Finish()
	if f == batch.Running || f == batch.Failed { // a failure is told by an error
		return
	}
	u := s.usage()
	e.Finish, e.Usage, e.Timing = f, &u, s.timing(now)
}

func (s *Stream) usage() Usage {
	return Usage{PromptTokens: s.seq.Prompt(), CachedTokens: s.seq.Cached(), CompletionTokens: len(s.seq.Output())}
}

func (s *Stream) timing(now time.Time) *Timing {
	t := &Timing{Total: now.Sub(s.submitted)}
	if at := s.seq.Started(); !at.IsZero() {
		t.Queued = at.Sub(s.submitted)
	}
	if !s.first.IsZero() {
		t.TTFT = s.first.Sub(s.submitted)
	}
	return t
}
