// Package wire is what the HTTP front ends share: errors as JSON, request
// bodies checked field by field, answers sent piece by piece, and a mux whose
// refusals are JSON too.
package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/serve"
	"example.com/minillm/tokenizer/chat"
)

// maxMessage bounds an error's text, so that no body echoes a large input: it
// stays under 4 kB even if every byte is escaped.
const maxMessage = 600

// statusHungUp is what a log says of a request whose client has gone; nobody
// receives it.
const statusHungUp = 499

// Error is a refusal as clients see it, in OpenAI's form.
type Error struct {
	Status  int
	Message string
	Type    string
	Param   string // the field it is about; "" is null
	Code    string // for programs; "" is null
}

func (e *Error) Error() string { return e.Message }

// Invalid returns an error of the request itself: status 4xx, naming the
// parameter it is about.
func Invalid(status int, param, message string) *Error {
	return &Error{Status: status, Type: "invalid_request_error", Param: param, Message: message}
}

// From says how err is answered.
func From(err error) *Error {
	var known *Error
	var raised *chat.RaisedError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, batch.ErrTooLong):
		return &Error{http.StatusBadRequest, tooLong(err), "invalid_request_error", "", "context_length_exceeded"}
	case errors.Is(err, batch.ErrEmpty):
		return &Error{http.StatusBadRequest, err.Error(), "invalid_request_error", "", "empty_prompt"}
	case errors.Is(err, chat.ErrNoTemplate):
		return &Error{http.StatusBadRequest, err.Error(), "invalid_request_error", "", "no_template"}
	case errors.Is(err, serve.ErrInvalid), errors.Is(err, chat.ErrNoMessages), errors.As(err, &raised):
		return Invalid(http.StatusBadRequest, "", err.Error())
	case errors.Is(err, serve.ErrBusy):
		return &Error{http.StatusTooManyRequests, err.Error(), "rate_limit_error", "", "queue_full"}
	case errors.Is(err, serve.ErrClosed):
		return &Error{http.StatusServiceUnavailable, "the server is shutting down", "server_error", "", "unavailable"}
	case errors.Is(err, context.Canceled):
		return &Error{statusHungUp, "the client has gone", "server_error", "", "cancelled"}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{http.StatusGatewayTimeout, "the request took too long", "server_error", "", "timeout"}
	}
	return &Error{http.StatusInternalServerError, err.Error(), "server_error", "", "internal_error"}
}

// tooLong words a batch.ErrTooLong, with its numbers, as clients without regard
// for codes look for it.
func tooLong(err error) string {
	_, numbers, _ := strings.Cut(err.Error(), batch.ErrTooLong.Error())
	return "the request is longer than the model's context length" + numbers
}

// MarshalJSON writes the object that clients know.
func (e *Error) MarshalJSON() ([]byte, error) {
	type fields struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	f := fields{e.Message, e.Type, &e.Param, &e.Code}
	if len(f.Message) > maxMessage {
		f.Message = strings.ToValidUTF8(f.Message[:maxMessage], "") + "…"
	}
	if e.Param == "" {
		f.Param = nil
	}
	if e.Code == "" {
		f.Code = nil
	}
	return json.Marshal(struct {
		Error fields `json:"error"`
	}{f})
}

// WriteError answers with err as JSON. Nothing of the answer may have been
// sent before.
func WriteError(w http.ResponseWriter, err error) {
	e := From(err)
	h := w.Header()
	if e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	if e.Status == http.StatusRequestEntityTooLarge {
		h.Set("Connection", "close")
	}
	WriteJSON(w, e.Status, e)
}

// Refuse is WriteError before the body of r was read.
func Refuse(w http.ResponseWriter, r *http.Request, err error) {
	if !asksFirst(r) {
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(patience)) // not every writer has one
		drain(r)
	}
	WriteError(w, err)
}

// WriteJSON answers with v.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // the type says that it is no HTML
	enc.Encode(v)
}
