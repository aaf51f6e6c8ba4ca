package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/minillm/batch"
	"example.com/minillm/serve"
	"example.com/minillm/tokenizer/chat"
)

func TestWriteError(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		kind   string
		code   any
		retry  string
	}{
		{batch.ErrTooLong, 400, "invalid_request_error", "context_length_exceeded", ""},
		{batch.ErrEmpty, 400, "invalid_request_error", "empty_prompt", ""},
		{chat.ErrNoTemplate, 400, "invalid_request_error", "no_template", ""},
		{chat.ErrNoMessages, 400, "invalid_request_error", nil, ""},
		{serve.ErrInvalid, 400, "invalid_request_error", nil, ""},
		{serve.ErrBusy, 429, "rate_limit_error", "queue_full", "1"},
		{serve.ErrClosed, 503, "server_error", "unavailable", "1"},
		{context.Canceled, 499, "server_error", "cancelled", ""},
		{context.DeadlineExceeded, 504, "server_error", "timeout", ""},
		{errors.New("weights are gone"), 500, "server_error", "internal_error", ""},
		{Invalid(422, "seed", "no"), 422, "invalid_request_error", nil, ""},
	} {
		w := httptest.NewRecorder()
		WriteError(w, fmt.Errorf("around it: %w", c.err))
		var body struct {
			Error struct {
				Message, Type string
				Param, Code   any
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
		e := body.Error
		if w.Code != c.status || e.Type != c.kind || e.Code != c.code || e.Message == "" || w.Header().Get("Retry-After") != c.retry {
			t.Errorf("%v: %d %s, retry %q", c.err, w.Code, w.Body, w.Header().Get("Retry-After"))
		}
	}
}

// However long what went wrong is, and whatever is in it, the body stays small
// and is JSON.
func TestErrorsAreShort(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat("\x00", 1<<20), strings.Repeat("é", 1<<20), strings.Repeat("\xff", 1<<20)} {
		w := httptest.NewRecorder()
		WriteError(w, Invalid(400, "field", text))
		if !json.Valid(w.Body.Bytes()) || w.Body.Len() > 4096 {
			t.Errorf("%.4q…: %d bytes", text, w.Body.Len())
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{"tiny": `"tiny"`, "a\r\nb": `"a\r\nb"`, "é": `"\u00e9"`, strings.Repeat("x", 100): `"` + strings.Repeat("x", 60) + `"`} {
		if got := Quote(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// Clients that know no code look for these words, and people for the numbers.
func TestTooLongIsWorded(t *testing.T) {
	e := From(fmt.Errorf("around it: %w: 103 tokens, room for 64", batch.ErrTooLong))
	if want := "the request is longer than the model's context length: 103 tokens, room for 64"; e.Message != want {
		t.Errorf("%q, want %q", e.Message, want)
	}
}
