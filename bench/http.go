package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"
)

// HTTP is a Target: any server that speaks OpenAI's chat completions, with the
// answer streamed as server-sent events.
type HTTP struct {
	URL         string         // of the server, with or without /v1 at its end
	Model       string         // by the server's name for it; see Models
	Key         string         // API key, if it wants one
	Completions bool           // send the messages' text to /v1/completions, which knows no chat template
	Extra       map[string]any // further fields of each request, such as "ignore_eos": true
	Client      *http.Client   // nil: one that keeps any number of connections and uses no proxy
}

// client keeps as many connections as there are requests at once, so that few
// requests pay for a new one. Idle ones are given up before the servers do, some
// of which wait for 5 s only: a request sent at that moment would be lost.
var client = &http.Client{Transport: &http.Transport{
	DialContext:         (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
	MaxIdleConnsPerHost: 1 << 16,
	IdleConnTimeout:     2 * time.Second,
	DisableCompression:  true,
	ForceAttemptHTTP2:   true,
}}

// Do streams one answer.
func (h *HTTP) Do(ctx context.Context, r Request) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		body, err := h.post(ctx, r)
		if err != nil {
			yield(Piece{}, err)
			return
		}
		defer body.Close()
		s := stream{lines: newLines(body)}
		if s.read(yield) {
			// What follows [DONE] is read, so that the connection can be used
			// again; but not for ever.
			defer time.AfterFunc(time.Second, cancel).Stop()
			io.Copy(io.Discard, body)
		}
	}
}

// Models lists the models that the server names.
func (h *HTTP) Models(ctx context.Context) ([]string, error) {
	q, err := h.request(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	body, err := h.send(q)
	if err != nil {
		return nil, fmt.Errorf("bench: models of %s: %w", h.URL, err)
	}
	defer body.Close()
	var list struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(io.LimitReader(body, 16<<20)).Decode(&list); err != nil {
		return nil, fmt.Errorf("bench: models of %s: %w", h.URL, err)
	}
	var names []string
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	return names, nil
}

// post asks for a stream.
func (h *HTTP) post(ctx context.Context, r Request) (io.ReadCloser, error) {
	path := "/chat/completions"
	if h.Completions {
		path = "/completions"
	}
	q, err := h.request(ctx, http.MethodPost, path, h.body(r))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Accept", "text/event-stream")
	return h.send(q)
}

// body is the JSON of a request.
func (h *HTTP) body(r Request) map[string]any {
	b := map[string]any{
		"stream":         true,
		"stream_options": map[string]any{"include_usage": true},
		"temperature":    0,
	}
	if h.Model != "" {
		b["model"] = h.Model
	}
	if r.MaxTokens > 0 {
		b["max_tokens"] = r.MaxTokens
	}
	if h.Completions {
		var texts []string
		for _, m := range r.Messages {
			texts = append(texts, m.Content)
		}
		b["prompt"] = strings.Join(texts, "\n")
	} else {
		b["messages"] = r.Messages
	}
	maps.Copy(b, h.Extra)
	return b
}

func (h *HTTP) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var payload []byte
	if body != nil {
		var err error
		if payload, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	base := strings.TrimSuffix(strings.TrimRight(h.URL, "/"), "/v1")
	q, err := http.NewRequestWithContext(ctx, method, base+"/v1"+path, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Content-Type", "application/json")
	// Not sent: it lets the client try again on a new connection where the server has closed a used one without
	// a byte of an answer, as some do right after an answer. That we use connections again is our affair.
	q.Header["Idempotency-Key"] = nil
	if h.Key != "" {
		q.Header.Set("Authorization", "Bearer "+h.Key)
	}
	return q, nil
}

// send returns the body of an answer with status 200.
func (h *HTTP) send(q *http.Request) (io.ReadCloser, error) {
	c := h.Client
	if c == nil {
		c = client
	}
	resp, err := c.Do(q)
	if err != nil {
		return nil, &Error{Kind: unreached(err), Err: err}
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return nil, failf(Kind(fmt.Sprintf("http %d", resp.StatusCode)), "%s", bytes.TrimSpace(text))
	}
	return resp.Body, nil
}

// unreached tells a server that cannot be reached from one that took the
// request and hung up.
func unreached(err error) Kind {
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return Connect
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &op):
		return Hangup
	}
	return Connect
}
