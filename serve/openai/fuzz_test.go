package openai

import (
	"context"
	"encoding/json"
	"iter"
	"math"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/sampling"
	"example.com/minillm/serve"
)

// checked is a Generator that computes nothing and checks what it is asked for.
type checked struct {
	serve.Text
	t *testing.T
}

func (c checked) Generate(_ context.Context, r serve.TextRequest) (iter.Seq2[serve.Piece, error], error) {
	if _, err := sampling.New(r.Sampling); err != nil {
		c.t.Errorf("sampling: %v", err)
	}
	if len(r.Prompt) == 0 || r.N < 1 || r.N > maxChoices || r.TopLogprobs > maxLogprobs || r.MaxTokens < 0 || len(r.Stop) > 16 {
		c.t.Errorf("out of bounds: %+v", r)
	}
	for _, id := range r.Prompt {
		if id < 0 || int(id) >= c.Tokenizer.Size() {
			c.t.Errorf("token %d", id)
		}
	}
	return func(yield func(serve.Piece, error) bool) {
		for i := range r.N {
			last := serve.Piece{Choice: i, Text: "x", Finish: batch.Stop, Usage: &serve.Usage{PromptTokens: len(r.Prompt), CompletionTokens: 1}, Timing: &serve.Timing{}}
			if !yield(last, nil) {
				return
			}
		}
	}, nil
}

func (c checked) Embed(_ context.Context, r serve.TextRequest) ([]float32, serve.Usage, error) {
	if len(r.Prompt) == 0 {
		c.t.Error("empty prompt")
	}
	return []float32{1}, serve.Usage{PromptTokens: len(r.Prompt)}, nil
}

// FuzzRequests: whatever the body, the answer is one or a refusal in the right
// form, and what reaches the generator is within bounds.
func FuzzRequests(f *testing.F) {
	for _, body := range []string{
		`{"messages": [{"role": "user", "content": "hi"}], "stream": true, "stream_options": {"include_usage": true}, "n": 3}`,
		`{"messages": [{"role": "assistant", "content": null, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]}]}`,
		`{"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}], "logit_bias": {"3": -100}, "stop": ["a", "b"]}`,
		`{"prompt": ["a", [1, 2, 3]], "echo": true, "logprobs": 3, "max_tokens": 0, "best_of": 2}`,
		`{"prompt": [1, 2, null], "temperature": 1e999, "seed": -1, "top_p": 0, "repeat_penalty": 1.1}`,
		`{"input": [[1], "x"], "encoding_format": "base64", "dimensions": 3}`,
		`{"tokens": [1, 2], "prompt": "a", "chat_template_kwargs": {"enable_thinking": true, "x": [1e400]}}`,
		`{"prompt": "\ud800", "model": null, "": {"": []}}`,
	} {
		for path := range uint8(5) {
			f.Add(path, []byte(body))
		}
	}
	paths := []string{"/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/tokenize", "/detokenize"}
	tok := fake.Bytes{}
	o := Options{Template: template(f, chatML)}
	f.Fuzz(func(t *testing.T, path uint8, body []byte) {
		h := New(checked{serve.Text{Tokenizer: tok}, t}, tok, o)
		w := httptest.NewRecorder()
		w.Code = math.MaxInt
		h.ServeHTTP(w, httptest.NewRequest("POST", paths[int(path)%len(paths)], strings.NewReader(string(body))))
		switch answer := w.Body.String(); {
		case w.Code >= 400 && w.Code < 500:
			refusal(t, string(body), answer)
		case w.Code != 200:
			t.Errorf("status %d: %s", w.Code, answer)
		case strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream"):
			if !strings.HasSuffix(answer, "data: [DONE]\n\n") {
				t.Errorf("the stream ends with %q", answer[max(0, len(answer)-40):])
			}
		case !json.Valid([]byte(answer)):
			t.Errorf("the answer is no JSON: %s", answer)
		}
	})
}
