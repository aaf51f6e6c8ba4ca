package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// One answer a line, in the prompts' order, the same however many are computed
// together.
func TestRun(t *testing.T) {
	all := strings.Split(strings.TrimSpace(prompts), "\n")
	var first string
	for _, together := range []int{0, 1, 16} {
		var out, log strings.Builder
		if err := run(t.Context(), &out, &log, "", all, together); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = out.String()
		}
		if out.String() != first {
			t.Errorf("%d together: %s\nalone: %s", together, out.String(), first)
		}
		if !strings.HasPrefix(log.String(), "6 prompts, ") {
			t.Errorf("log %q", log.String())
		}
	}
	if !strings.Contains(first, `{"prompt":"What colour is the sky?","answer":"The sky is blue."`) {
		t.Errorf("the sky is not blue: %s", first)
	}
	dec := json.NewDecoder(strings.NewReader(first))
	for _, p := range all {
		var l line
		if err := dec.Decode(&l); err != nil || l.Prompt != p || l.Answer == "" || l.Finish != "stop" || l.Tokens == 0 || l.Error != "" {
			t.Errorf("%q: %+v, %v", p, l, err)
		}
	}
}

// A job whose output is gone ends.
func TestBrokenOutput(t *testing.T) {
	r, w := io.Pipe()
	r.CloseWithError(errors.New("full"))
	if err := run(t.Context(), w, io.Discard, "", []string{"a", "b", "c", "d"}, 2); err == nil || err.Error() != "full" {
		t.Errorf("error %v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, io.Discard, io.Discard, "", []string{"a"}, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
