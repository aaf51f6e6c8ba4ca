package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"example.com/minillm/batch"
	"example.com/minillm/serve"
	"example.com/minillm/tokenizer/chat"
)

// ErrBroken says that a server accepted a request and did not finish the
// answer: it died, fell silent, or ended in a way that no answer does.
var ErrBroken = errors.New("remote: the answer broke off")

// StatusError is a server's refusal. errors.Is finds in it what it means:
// batch.ErrTooLong, batch.ErrEmpty, chat.ErrNoTemplate, serve.ErrBusy (429, or a
// server that loads its model), serve.ErrClosed (it shuts down), or
// serve.ErrInvalid for what else is wrong with a request.
type StatusError struct {
	URL     string
	Status  int    // 200 where the answer had begun
	Code    string // the server's, for programs; may be empty
	Message string // the server's, for people
}

// Error says what went wrong.
func (e *StatusError) Error() string {
	s := fmt.Sprintf("remote: %s: %d %s", e.URL, e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// Is reports whether target is what the refusal means.
func (e *StatusError) Is(target error) bool { return target == e.meaning() }

func (e *StatusError) meaning() error {
	switch {
	case e.Code == "context_length_exceeded", e.Code == "exceed_context_size_error":
		return batch.ErrTooLong
	case e.Code == "empty_prompt":
		return batch.ErrEmpty
	case e.Code == "no_template":
		return chat.ErrNoTemplate
	case e.Code == "unavailable":
		return serve.ErrClosed
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusServiceUnavailable:
		return serve.ErrBusy
	case e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity:
		return nil
	case tooLong(e.Message):
		return batch.ErrTooLong
	}
	return serve.ErrInvalid
}

// tooLong knows the words of servers that have no code for it.
func tooLong(message string) bool {
	message = strings.ToLower(message)
	for _, words := range []string{"context length", "context size", "context window"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// answered reports whether err is a server's, rather than of the way to it.
func answered(err error) bool {
	var refused *openai.Error
	return errors.As(err, &refused)
}

// explain says what an error of the client means for a request under ctx. The
// end of ctx is its cause, as everywhere. What the server never took in is told
// apart from what it may have computed.
func (m *Model) explain(ctx context.Context, path string, err error) error {
	url := m.url + path
	var refused *openai.Error
	var failed *ssestream.StreamError
	var network *net.OpError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("remote: %s: %w", url, context.Cause(ctx))
	case errors.As(err, &refused):
		return status(url, refused.StatusCode, []byte(refused.RawJSON()))
	case errors.As(err, &failed):
		var body struct{ Error json.RawMessage }
		json.Unmarshal(failed.Event.Data, &body) // what cannot be read has no words
		return status(url, http.StatusOK, body.Error)
	case errors.As(err, &network) && network.Op == "dial":
		return fmt.Errorf("remote: %s: %w", url, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrBroken, url, err)
}

// status makes an error of an object that says what is wrong. Servers do not
// agree on whether a code is a number, a name or in the type.
func status(url string, code int, raw []byte) error {
	e := &StatusError{URL: url, Status: code, Message: string(raw)}
	var fields struct {
		Message, Type string
		Code          any
	}
	if json.Unmarshal(raw, &fields) == nil && fields.Message != "" {
		e.Message = fields.Message
		e.Code, _ = fields.Code.(string)
	}
	if e.Code == "" {
		e.Code = fields.Type
	}
	if len(e.Message) > maxMessage {
		e.Message = strings.ToValidUTF8(e.Message[:maxMessage], "") + "…"
	}
	return e
}

// maxMessage bounds what of a server's words ends up in logs.
const maxMessage = 600
