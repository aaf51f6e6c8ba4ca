package bench

import (
	"context"
	"errors"
	"fmt"
)

// Kind is what went wrong with a request. An answer with a status other than 200
// has the kind "http 404" and so on.
type Kind string

// Kinds of failure. A request that failed counts in no latency and no throughput.
const (
	Connect   Kind = "connect"   // no connection
	Hangup    Kind = "hangup"    // the connection broke off, or the stream ended, before the answer did
	Malformed Kind = "malformed" // the server sent what is no stream of chunks
	Refused   Kind = "refused"   // the stream held an error instead of text
	Stalled   Kind = "stalled"   // no text for longer than Load.Stall
	Timeout   Kind = "timeout"   // not finished within Load.Timeout
	Endless   Kind = "endless"   // far more pieces than the tokens asked for
	Failed    Kind = "failed"    // any other error of a target
)

// Interrupted is a request that the end of the run broke off: no fault of the
// server, and no answer either.
const Interrupted Kind = "interrupted"

// Kinds of flaw, which leave an answer usable.
const (
	NoUsage Kind = "no usage" // no counts of tokens: pieces are counted instead
	NoDone  Kind = "no done"  // a finished answer, but no [DONE]
	Empty   Kind = "no text"  // an answer without any text: it has no TTFT
)

// Error is why a request failed.
type Error struct {
	Kind Kind
	Err  error
}

// Error says what went wrong.
func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Kind, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func failf(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Err: fmt.Errorf(format, args...)}
}

// explain turns the error of a target into one with a kind. If the request's
// context is done, that is the reason, whatever the target made of it.
func explain(ctx context.Context, err error) *Error {
	otherwise := Failed
	if cause := context.Cause(ctx); cause != nil {
		err, otherwise = cause, Interrupted
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: otherwise, Err: err}
}
