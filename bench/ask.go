package bench

import (
	"context"
	"strings"
	"time"
)

// ask sends one request and follows its answer. Of a conversation that goes on
// it returns the answer's text, too.
func (r *run) ask(ctx context.Context, q Request, due time.Duration) (Trace, string) {
	ctx, guard := r.guard(ctx)
	defer guard.stop()
	a := answer{asked: q.MaxTokens, keep: len(q.Then) > 0}
	a.trace = Trace{Due: due, Sent: r.now(), Asked: q.MaxTokens}
	a.trace.End = a.trace.Sent
	r.counts.sent()
	for piece, err := range r.target.Do(ctx, q) {
		a.trace.End = r.now()
		if err == nil {
			err = a.take(piece)
		}
		if err != nil {
			a.fail(ctx, err)
			break
		}
		if piece.Text != "" {
			guard.alive()
			r.counts.piece(&a.trace)
		}
		if piece.Done {
			a.done = true
			guard.rest()
		}
	}
	if err := ctx.Err(); err != nil && a.trace.Err == nil && !a.done {
		a.trace.End = r.now()
		a.fail(ctx, err)
	}
	return a.trace, a.text.String()
}

// answer is an answer as it comes in.
type answer struct {
	trace  Trace
	asked  int
	unseen int // tokens that came without text, to be counted with the next piece
	done   bool
	keep   bool
	text   strings.Builder
}

// slack is how many pieces beyond twice the tokens asked for are let pass: a
// token may come in two pieces, as the halves of a character do.
const slack = 16

func (a *answer) take(p Piece) error {
	if p.Usage != nil {
		a.trace.Usage = p.Usage
	}
	if p.Text == "" {
		a.unseen += p.Tokens
		return nil
	}
	if a.keep {
		a.text.WriteString(p.Text)
	}
	a.trace.Pieces = append(a.trace.Pieces, Stamp{At: a.trace.End, Tokens: p.Tokens + a.unseen})
	a.unseen = 0
	if n := len(a.trace.Pieces); a.asked > 0 && n > 2*a.asked+slack {
		return failf(Endless, "%d pieces where %d tokens were asked for", n, a.asked)
	}
	return nil
}

// fail notes why the answer ended. A missing [DONE] is a flaw only.
func (a *answer) fail(ctx context.Context, err error) {
	e := explain(ctx, err)
	if e.Kind == NoDone {
		a.trace.NoDone = true
		return
	}
	a.trace.Err = e
}

// guard gives a request up that takes too long.
type guard struct {
	stall   time.Duration
	stalled *time.Timer
	timeout *time.Timer
	cancel  context.CancelCauseFunc
}

func (r *run) guard(ctx context.Context) (context.Context, *guard) {
	ctx, cancel := context.WithCancelCause(ctx)
	stall, timeout := r.load.Stall, r.load.Timeout
	return ctx, &guard{
		stall:   stall,
		stalled: time.AfterFunc(stall, func() { cancel(failf(Stalled, "no text for %s", stall)) }),
		timeout: time.AfterFunc(timeout, func() { cancel(failf(Timeout, "not finished after %s", timeout)) }),
		cancel:  cancel,
	}
}

// alive says that text came.
func (g *guard) alive() { g.stalled.Reset(g.stall) }

// rest says that the answer is complete.
func (g *guard) rest() {
	g.stalled.Stop()
	g.timeout.Stop()
}

func (g *guard) stop() {
	g.rest()
	g.cancel(nil)
}
