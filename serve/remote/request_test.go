package remote_test

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/minillm/sampling"
	"example.com/minillm/serve"
	"example.com/minillm/serve/remote"
)

// requests are worded differently on the way.
var requests = []serve.Request{
	{MaxTokens: 20},
	{}, // to the end of the context
	{MaxTokens: 20, Stop: []string{"a", "e"}},
	{MaxTokens: 20, Sampling: sampling.Params{Temperature: 1, Seed: 1<<63 + 5}},
	{MaxTokens: 20, Sampling: sampling.Params{Temperature: 1.5, TopK: 10, TopP: 0.8, MinP: 0.01, Seed: 7}},
	{MaxTokens: 20, Sampling: sampling.Params{RepetitionPenalty: 1.3, PresencePenalty: 0.5, FrequencyPenalty: 0.25}},
	{MaxTokens: 20, Sampling: sampling.Params{Bias: map[int32]float32{70: 50, 71: -100}}},
	{MaxTokens: 20, Priority: 3, Salt: "mine"},
}

// listener is a server of one owner that notes what it is asked.
type listener struct {
	owner string
	body  map[string]any
	key   string
}

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.key = r.Header.Get("Authorization")
	if r.URL.Path == "/v1/models" {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"data": [{"id": "served", "owned_by": "`+l.owner+`"}]}`)
		return
	}
	l.body = nil
	json.NewDecoder(r.Body).Decode(&l.body)
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, `data: {"choices": [{"index": 0, "finish_reason": "stop", "text": "", "delta": {}}]}`+"\n\ndata: [DONE]\n\n")
}

// sent returns the body that a server of an owner gets for r.
func sent(t *testing.T, owner string, o remote.Options, r serve.Request, chat bool) map[string]any {
	t.Helper()
	l := &listener{owner: owner}
	s := httptest.NewServer(l)
	defer s.Close()
	m := connect(t, s.URL, o)
	var err error
	if chat {
		_, err = m.Chat(t.Context(), []serve.Message{{Role: "user", Content: "hi"}}, r)
	} else {
		_, err = m.Generate(t.Context(), "hi", r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l.body
}

func TestRequestFields(t *testing.T) {
	common := func(more map[string]any) map[string]any {
		want := map[string]any{
			"model": "served", "stream": true, "stream_options": map[string]any{"include_usage": true},
			"temperature": 0., "top_p": 1., "top_k": -1., "min_p": 0., "repetition_penalty": 1.,
		}
		for k, v := range more {
			if want[k] = v; v == nil {
				delete(want, k)
			}
		}
		return want
	}
	user := []any{map[string]any{"role": "user", "content": "hi"}}
	for _, c := range []struct {
		name  string
		owner string
		o     remote.Options
		r     serve.Request
		chat  bool
		want  map[string]any
	}{
		{"zero", "somebody", remote.Options{}, serve.Request{}, false, common(map[string]any{"prompt": "hi"})},
		{"zero, minillm", "minillm", remote.Options{}, serve.Request{}, false, common(map[string]any{"prompt": "hi", "max_tokens": float64(math.MaxInt32)})},
		{"chat", "vllm", remote.Options{}, serve.Request{Thinking: true, MaxTokens: 3, Logprobs: true}, true, common(map[string]any{
			"messages": user, "chat_template_kwargs": map[string]any{"enable_thinking": true}, "max_tokens": 3., "logprobs": true, "top_logprobs": 0.})},
		{"plain", "openai", remote.Options{Plain: true, Model: "mine"}, serve.Request{MaxTokens: 3}, true, common(map[string]any{
			"messages": user, "model": "mine", "max_tokens": 3., "top_k": nil, "min_p": nil, "repetition_penalty": nil})},
		{"llama-server", "llamacpp", remote.Options{}, serve.Request{Sampling: sampling.Params{RepetitionPenalty: 2}}, false, common(map[string]any{
			"prompt": "hi", "repeat_penalty": 2., "repeat_last_n": 131072., "repetition_penalty": nil})},
		{"everything", "somebody", remote.Options{Extra: map[string]any{"ignore_eos": true}}, serve.Request{
			MaxTokens: 9, Stop: []string{"x"}, Priority: 2, Salt: "s", Logprobs: true, TopLogprobs: 2,
			Sampling: sampling.Params{Temperature: 0.5, TopK: 4, TopP: 0.5, MinP: 0.25, PresencePenalty: 1, FrequencyPenalty: 2, Seed: math.MaxUint64,
				Bias: map[int32]float32{3: 0.5, 4: float32(math.Inf(-1))}},
		}, false, common(map[string]any{
			"prompt": "hi", "max_tokens": 9., "stop": []any{"x"}, "priority": 2., "cache_salt": "s", "logprobs": 2., "ignore_eos": true,
			"temperature": 0.5, "top_k": 4., "top_p": 0.5, "min_p": 0.25, "presence_penalty": 1., "frequency_penalty": 2., "seed": -1.,
			"logit_bias": map[string]any{"3": 0.5, "4": -100.}})},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, sent(t, c.owner, c.o, c.r, c.chat)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
	body := sent(t, "vllm", remote.Options{}, serve.Request{}, false)
	if most, ok := body["max_tokens"]; !ok || most != nil {
		t.Errorf("vLLM goes on to the end of the context where max_tokens is null, got %v, %v", most, ok)
	}
}
