package remote

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"example.com/minillm/batch"
	"example.com/minillm/serve"
)

// errDeadline is why a request ended at its own Deadline, which is no error.
var errDeadline = errors.New("remote: the request's deadline has passed")

// event is what completions and chats have in common of what a server sends.
type event struct {
	text, reasoning string
	logprobs        []serve.Logprob
	finish          string
	usage           *serve.Usage
}

// answer is one request under way.
type answer struct {
	model   *Model
	path    string
	ctx     context.Context
	cancel  context.CancelCauseFunc
	release func()      // lets go of the deadline and of the model
	silence *time.Timer // ends ctx after too much of it

	start  time.Time
	ttft   time.Duration
	tokens int // counted here, for servers that do not tell
	finish string
	usage  *serve.Usage
}

// pieces asks when it is ranged over: open sends the request, read understands
// its events.
func pieces[T any](ctx context.Context, m *Model, path string, deadline time.Time, open func(context.Context) *ssestream.Stream[T], read func(T) event) iter.Seq2[serve.Piece, error] {
	return func(yield func(serve.Piece, error) bool) {
		a, err := m.begin(ctx, path, deadline)
		if err != nil {
			yield(serve.Piece{}, err)
			return
		}
		defer a.end()
		s := open(a.ctx)
		defer s.Close()
		for a.wait(s.Next) {
			if p, ok := a.take(read(s.Current())); ok && !yield(p, nil) {
				return
			}
		}
		yield(a.last(s.Err()))
	}
}

// begin starts the clocks of a request.
func (m *Model) begin(ctx context.Context, path string, deadline time.Time) (*answer, error) {
	if m.closed.Err() != nil {
		return nil, serve.ErrClosed
	}
	a := &answer{model: m, path: path, start: time.Now()}
	timed, stop := ctx, func() {}
	if !deadline.IsZero() {
		timed, stop = context.WithDeadlineCause(ctx, deadline, errDeadline)
	}
	a.ctx, a.cancel = context.WithCancelCause(timed)
	leave := context.AfterFunc(m.closed, func() { a.cancel(serve.ErrClosed) })
	a.release = func() { leave(); stop() }
	a.silence = time.AfterFunc(m.o.Patience, func() {
		a.cancel(fmt.Errorf("%w: the server was silent for %v", ErrBroken, m.o.Patience))
	})
	return a, nil
}

func (a *answer) end() {
	a.silence.Stop()
	a.cancel(context.Canceled)
	a.release()
}

// wait is next, under the model's patience. The time that a reader takes for
// what it got is none of the server's.
func (a *answer) wait(next func() bool) bool {
	a.silence.Reset(a.model.o.Patience)
	defer a.silence.Stop()
	return next()
}

// take makes a piece of an event, if it brings anything to read. One that only
// names the assistant's role, or the usage, is no piece.
func (a *answer) take(e event) (serve.Piece, bool) {
	if e.usage != nil {
		a.usage = e.usage
	}
	if e.finish != "" {
		a.finish = e.finish
	}
	p := serve.Piece{Text: e.text, Reasoning: e.reasoning, Logprobs: e.logprobs}
	brought := e.text != "" || e.reasoning != "" || len(e.logprobs) > 0
	if a.ttft == 0 && (brought || e.finish != "") {
		a.ttft = time.Since(a.start)
	}
	if brought {
		a.tokens += max(1, len(e.logprobs))
	}
	return p, brought
}

// last makes the last piece of an answer that has ended as answers do, or says
// what went wrong.
func (a *answer) last(err error) (serve.Piece, error) {
	finish := batch.Running
	switch {
	case context.Cause(a.ctx) == errDeadline:
		finish = batch.Timeout
	case err != nil:
		return serve.Piece{}, a.model.explain(a.ctx, a.path, err)
	case a.finish == "stop":
		finish = batch.Stop
	case a.finish == "length":
		finish = batch.Length
	case a.finish == "":
		return serve.Piece{}, fmt.Errorf("%w: %s%s: the stream ended before it", ErrBroken, a.model.url, a.path)
	default:
		return serve.Piece{}, fmt.Errorf("%w: %s%s: the server ended it as %q", ErrBroken, a.model.url, a.path, a.finish)
	}
	if a.usage == nil {
		a.usage = &serve.Usage{CompletionTokens: a.tokens}
	}
	return serve.Piece{Finish: finish, Usage: a.usage, Timing: &serve.Timing{TTFT: a.ttft, Total: time.Since(a.start)}}, nil
}
