package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// answer returns what of a response depends on the question alone. Anything but
// status 200 is an error.
func answer(resp *http.Response) (string, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", &statusError{resp.StatusCode, string(body)}
	}
	return essence(resp.Header.Get("Content-Type"), body)
}

type statusError struct {
	status int
	body   string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.body) }

// essence drops names, times and how much was found in the cache, and joins the
// events of a stream by choice, because choices come in any order.
func essence(kind string, body []byte) (string, error) {
	switch {
	case strings.HasPrefix(kind, "text/plain"):
		return string(body), nil
	case !strings.HasPrefix(kind, "text/event-stream"):
		return plain(body)
	}
	texts := map[string]string{}
	rest, ok := bytes.CutSuffix(body, []byte("data: [DONE]\n\n"))
	if !ok {
		return "", fmt.Errorf("a stream without its end: %q", body)
	}
	for event := range strings.SplitSeq(string(rest), "\n\n") {
		var e struct {
			Choices []struct {
				Index  int
				Text   string
				Delta  struct{ Content string }
				Finish *string `json:"finish_reason"`
			}
		}
		data, _ := strings.CutPrefix(event, "data: ")
		if data == "" {
			continue
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return "", fmt.Errorf("event %q: %w", event, err)
		}
		for _, c := range e.Choices {
			key := fmt.Sprint(c.Index)
			texts[key] += c.Text + c.Delta.Content
			if c.Finish != nil {
				texts[key] += "<" + *c.Finish + ">"
			}
		}
	}
	return fmt.Sprint(texts), nil
}

func plain(body []byte) (string, error) {
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		return "", fmt.Errorf("%q: %w", body, err)
	}
	for _, name := range []string{"id", "created", "ttft_ms", "latency_ms", "tokens_per_second", "cached_tokens"} {
		delete(v, name)
	}
	if usage, ok := v["usage"].(map[string]any); ok {
		delete(usage, "prompt_tokens_details")
	}
	b, err := json.Marshal(v)
	return string(b), err
}
