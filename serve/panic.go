package serve

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic that cost the requests of a step, or one request, and
// no more. The stack is for whoever looks after the server, see RequestInfo;
// its clients are not told.
type PanicError struct {
	In    string // "step" or "text"
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("serve: %s panicked: %v", e.In, e.Value) }

// recovered makes an error of what recover returned.
func recovered(in string, value any) error {
	return &PanicError{in, value, debug.Stack()}
}
