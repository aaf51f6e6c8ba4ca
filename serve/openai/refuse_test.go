package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

const hi = `"messages": [{"role": "user", "content": "hi"}]`

// refusal checks that an answer is an error in OpenAI's form, and returns it.
func refusal(t *testing.T, what, answer string) (message, param, code string) {
	t.Helper()
	var e struct {
		Error struct {
			Message, Type string
			Param, Code   *string
		}
	}
	d := json.NewDecoder(strings.NewReader(answer))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil || e.Error.Type == "" || e.Error.Message == "" || len(answer) > 4096 {
		t.Errorf("%.100s: %d bytes that are no error: %.300s", what, len(answer), answer)
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return e.Error.Message, text(e.Error.Param), text(e.Error.Code)
}

func TestBadRequests(t *testing.T) {
	s := newServer(t, say("ok"))
	const chats, completions, embeddings = "/v1/chat/completions", "/v1/completions", "/v1/embeddings"
	for _, c := range []struct {
		path, body string
		status     int
		param      string
	}{
		{chats, ``, 400, ""},
		{chats, `{"a":`, 400, ""},
		{chats, `[]`, 400, ""},
		{chats, `null`, 400, ""},
		{chats, `{}`, 400, "messages"},
		{chats, `{"messages": null}`, 400, "messages"},
		{chats, `{"messages": []}`, 400, "messages"},
		{chats, `{"messages": {}}`, 400, "messages"},
		{chats, `{"messages": [null]}`, 400, "messages[0]"},
		{chats, `{"messages": ["hi"]}`, 400, "messages[0]"},
		{chats, `{"messages": [{"content": "hi"}]}`, 400, "messages[0].role"},
		{chats, `{"messages": [{"role": "function", "content": "hi"}]}`, 400, "messages[0].role"},
		{chats, `{"messages": [{"role": 7, "content": "hi"}]}`, 400, "messages[0].role"},
		{chats, `{"messages": [{"role": "user"}]}`, 400, "messages[0].content"},
		{chats, `{"messages": [{"role": "user", "content": null}]}`, 400, "messages[0].content"},
		{chats, `{"messages": [{"role": "user", "content": 7}]}`, 400, "messages[0].content"},
		{chats, `{"messages": [{"role": "user", "content": [7]}]}`, 400, "messages[0].content[0]"},
		{chats, `{"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}`, 400, "messages[0].content[0].type"},
		{chats, `{"messages": [{"role": "user", "content": [{"type": "text"}]}]}`, 400, "messages[0].content[0].text"},
		{chats, `{"messages": [{"role": "assistant", "tool_calls": [{"function": {}}]}]}`, 400, "messages[0].tool_calls[0].function.name"},
		{chats, `{"messages": [{"role": "assistant", "refusal": "no"}]}`, 400, "messages[0].refusal"},
		{chats, `{` + hi + `, "model": "other"}`, 404, "model"},
		{chats, `{` + hi + `, "model": 7}`, 400, "model"},
		{chats, `{` + hi + `, "n": 0, "stream": true}`, 400, "n"},
		{chats, `{` + hi + `, "n": 129}`, 400, "n"},
		{chats, `{` + hi + `, "max_tokens": 0}`, 400, "max_tokens"},
		{chats, `{` + hi + `, "max_completion_tokens": 0}`, 400, "max_completion_tokens"},
		{chats, `{` + hi + `, "max_tokens": 3, "max_completion_tokens": 4}`, 400, "max_tokens"},
		{chats, `{` + hi + `, "max_tokens": 1e308}`, 400, "max_tokens"},
		{chats, `{` + hi + `, "temperature": 2.1}`, 400, "temperature"},
		{chats, `{` + hi + `, "temperature": -0.1}`, 400, "temperature"},
		{chats, `{` + hi + `, "temperature": "hot"}`, 400, "temperature"},
		{chats, `{` + hi + `, "top_p": 1.1}`, 400, "top_p"},
		{chats, `{` + hi + `, "min_p": -1}`, 400, "min_p"},
		{chats, `{` + hi + `, "top_k": -2}`, 400, "top_k"},
		{chats, `{` + hi + `, "presence_penalty": 3}`, 400, "presence_penalty"},
		{chats, `{` + hi + `, "frequency_penalty": -3}`, 400, "frequency_penalty"},
		{chats, `{` + hi + `, "repeat_penalty": 0}`, 400, "repeat_penalty"},
		{chats, `{` + hi + `, "repeat_penalty": 1.1, "repetition_penalty": 1.1}`, 400, "repeat_penalty"},
		{chats, `{` + hi + `, "seed": 1.5}`, 400, "seed"},
		{chats, `{` + hi + `, "stop": ` + many(`"x"`, 17) + `}`, 400, "stop"},
		{chats, `{` + hi + `, "stop": ` + many(`"x"`, 500000) + `}`, 400, "stop"},
		{chats, `{` + hi + `, "stop": ""}`, 400, "stop"},
		{chats, `{` + hi + `, "stop": [null]}`, 400, "stop"},
		{chats, `{` + hi + `, "top_logprobs": 2}`, 400, "top_logprobs"},
		{chats, `{` + hi + `, "logprobs": true, "top_logprobs": 21}`, 400, "top_logprobs"},
		{chats, `{` + hi + `, "logprobs": true, "top_logprobs": 1000000}`, 400, "top_logprobs"},
		{chats, `{` + hi + `, "logit_bias": {"x": 1}}`, 400, "logit_bias"},
		{chats, `{` + hi + `, "logit_bias": {"1": 101}}`, 400, "logit_bias"},
		{chats, `{` + hi + `, "logit_bias": {"1": null}}`, 400, "logit_bias"},
		{chats, `{` + hi + `, "logit_bias": {"260": 1}}`, 400, ""},
		{chats, `{` + hi + `, "logit_bias": {"-1": 1}}`, 400, "logit_bias"},
		{chats, `{` + hi + `, "priority": 1e308}`, 400, "priority"},
		{chats, `{` + hi + `, "logit_bias": {"01": 1}}`, 400, "logit_bias"},
		{chats, `{` + hi + `, "stream": true, "stream_options": {"include_usage": 1}}`, 400, "stream_options.include_usage"},
		{chats, `{` + hi + `, "stream": "yes"}`, 400, "stream"},
		{chats, `{` + hi + `, "response_format": {"type": "json_object"}}`, 400, "response_format"},
		{chats, `{` + hi + `, "response_format": "text"}`, 400, "response_format"},
		{chats, `{` + hi + `, "tools": [{"type": "function", "function": {"name": "f"}}]}`, 400, "tools"},
		{chats, `{` + hi + `, "tool_choice": "required"}`, 400, "tool_choice"},
		{chats, `{` + hi + `, "tool_choice": {"type": "function"}}`, 400, "tool_choice"},
		{chats, `{` + hi + `, "functions": [{"name": "f"}]}`, 400, "functions"},
		{chats, `{` + hi + `, "modalities": ["text", "audio"]}`, 400, "modalities"},
		{chats, `{` + hi + `, "guided_json": {}}`, 400, "guided_json"},
		{chats, `{` + hi + `, "min_tokens": 1}`, 400, "min_tokens"},
		{chats, `{` + hi + `, "reasoning_effort": "much"}`, 400, "reasoning_effort"},
		{chats, `{` + hi + `, "chat_template_kwargs": {"messages": []}}`, 400, "messages"},
		{chats, `{"deep": ` + strings.Repeat(`{"items":`, 10000) + `1` + strings.Repeat(`}`, 10000) + `}`, 400, ""},
		{chats, `{"messages": [{"role": "user", "content": "` + strings.Repeat("x", 300) + `"}]}`, 400, ""},
		{chats, `{"user": "` + strings.Repeat("x", maxBody) + `"}`, 413, ""},
		{completions, `{}`, 400, "prompt"},
		{completions, `{"prompt": null}`, 400, "prompt"},
		{completions, `{"prompt": ""}`, 400, "prompt"},
		{completions, `{"prompt": []}`, 400, "prompt"},
		{completions, `{"prompt": [""]}`, 400, "prompt"},
		{completions, `{"prompt": [[]]}`, 400, "prompt"},
		{completions, `{"prompt": {}}`, 400, "prompt"},
		{completions, `{"prompt": 7}`, 400, "prompt"},
		{completions, `{"prompt": [1, "x"]}`, 400, "prompt"},
		{completions, `{"prompt": [1, null]}`, 400, "prompt"},
		{completions, `{"prompt": ["x", 1]}`, 400, "prompt"},
		{completions, `{"prompt": [260]}`, 400, "prompt"},
		{completions, `{"prompt": [-1]}`, 400, "prompt"},
		{completions, `{"prompt": [9223372036854775807]}`, 400, "prompt"},
		{completions, `{"prompt": [1.5]}`, 400, "prompt"},
		{completions, `{"prompt": ` + many(`"x"`, 257) + `}`, 400, "prompt"},
		{completions, `{"prompt": "x", "max_tokens": 0}`, 400, "max_tokens"},
		{completions, `{"prompt": "x", "max_tokens": -32}`, 400, "max_tokens"},
		{completions, `{"prompt": "x", "logprobs": 21}`, 400, "logprobs"},
		{completions, `{"prompt": "x", "logprobs": true}`, 400, "logprobs"},
		{completions, `{"prompt": "x", "suffix": "y"}`, 400, "suffix"},
		{completions, `{"prompt": "x", "n": 3, "best_of": 2}`, 400, "best_of"},
		{completions, `{"prompt": ["x"` + strings.Repeat(`, "x"`, 8) + `], "n": 128}`, 400, "prompt"}, // no queue would ever take it
		{completions, `{"prompt": "x", "best_of": 2, "stream": true}`, 400, "best_of"},
		{embeddings, `{}`, 400, "input"},
		{embeddings, `{"input": ""}`, 400, "input"},
		{embeddings, `{"input": "x", "encoding_format": "hex"}`, 400, "encoding_format"},
		{embeddings, `{"input": "x", "dimensions": 2}`, 400, "dimensions"},
		{embeddings, `{"input": "` + strings.Repeat("x", 257) + `"}`, 400, ""},
		{"/tokenize", `{}`, 400, "prompt"},
		{"/tokenize", `{"prompt": 7}`, 400, "prompt"},
		{"/detokenize", `{}`, 400, "tokens"},
		{"/detokenize", `{"tokens": [260]}`, 400, "tokens"},
		{"/detokenize", `{"tokens": "x"}`, 400, "tokens"},
	} {
		status, answer, _ := s.post(t, c.path, c.body)
		if status != c.status {
			t.Errorf("%s %.100s: status %d, want %d: %.200s", c.path, c.body, status, c.status, answer)
		}
		if _, param, _ := refusal(t, c.body, answer); param != c.param {
			t.Errorf("%s %.100s: param %q, want %q: %.200s", c.path, c.body, param, c.param, answer)
		}
	}
}

func many(x string, n int) string { return "[" + strings.Repeat(x+",", n-1) + x + "]" }

// Whatever number a field is given, the answer is one or a refusal.
func TestNumbersAtTheirEnds(t *testing.T) {
	s := newServer(t, say("ok"))
	for _, name := range []string{"max_tokens", "n", "top_k", "seed", "priority", "best_of", "logprobs", "min_tokens", "temperature", "presence_penalty"} {
		for _, x := range []string{"-1", "-32", "2147483647", "9223372036854775807", "1e308", "1e999", "-0.0"} {
			body := fmt.Sprintf(`{"prompt": "x", %q: %s}`, name, x)
			status, answer, _ := s.post(t, "/v1/completions", body)
			if status == 400 {
				refusal(t, body, answer)
			} else if status != 200 {
				t.Errorf("%s: status %d: %s", body, status, answer)
			}
		}
	}
}

// Null is the default, of every field but those that must be there.
func TestNullIsTheDefault(t *testing.T) {
	s := newServer(t, say("ok"))
	names := []string{"model", "stream", "stream_options", "temperature", "top_p", "min_p", "top_k", "presence_penalty", "frequency_penalty",
		"repeat_penalty", "repetition_penalty", "seed", "logit_bias", "n", "stop", "include_stop_str_in_output", "ignore_eos", "priority",
		"cache_salt", "response_format", "max_tokens", "user", "metadata"}
	for _, f := range unsupported {
		names = append(names, f.name)
	}
	chats := slices.Concat(names, []string{"max_completion_tokens", "logprobs", "top_logprobs", "reasoning_effort", "enable_thinking", "chat_template_kwargs",
		"add_generation_prompt", "tools", "tool_choice"})
	for _, f := range unsupportedInChats {
		chats = append(chats, f.name)
	}
	for path, c := range map[string]struct {
		body  string
		names []string
	}{
		"/v1/chat/completions": {hi, chats},
		"/v1/completions":      {`"prompt": "x"`, slices.Concat(names, []string{"echo", "logprobs", "best_of", "suffix"})},
		"/v1/embeddings":       {`"input": "x"`, []string{"model", "encoding_format", "dimensions", "user", "priority"}},
		"/tokenize":            {`"prompt": "x"`, []string{"model", "add_special_tokens", "return_token_strs", "messages"}},
	} {
		body := c.body
		for _, name := range c.names {
			body += fmt.Sprintf(", %q: null", name)
		}
		status, answer, h := s.post(t, path, "{"+body+"}")
		if status != http.StatusOK || h.Get("Minillm-Ignored-Fields") != "" {
			t.Errorf("%s: status %d, ignored %q: %s", path, status, h.Get("Minillm-Ignored-Fields"), answer)
		}
	}
}

func TestFieldsThatChangeNothing(t *testing.T) {
	s := newServer(t, say("ok"))
	status, answer, h := s.post(t, "/v1/chat/completions", `{`+hi+`, "user": "u", "metadata": {"a": "b"}, "store": true, "service_tier": "auto",
		"tools": [{"type": "function", "function": {"name": "f"}}], "tool_choice": "none", "parallel_tool_calls": true,
		"functions": [], "function_call": "none", "modalities": ["text"], "response_format": {"type": "text"}, "min_tokens": 0.0}`)
	if status != http.StatusOK || h.Get("Minillm-Ignored-Fields") != "" {
		t.Errorf("status %d, ignored %q: %s", status, h.Get("Minillm-Ignored-Fields"), answer)
	}
}

func TestUnknownFields(t *testing.T) {
	const body = `{"messages": [{"role": "user", "content": "hi", "mood": 1}], "tempreature": 1, "stream": false}`
	status, _, h := newServer(t, say("ok")).post(t, "/v1/chat/completions", body)
	if got := h.Get("Minillm-Ignored-Fields"); status != 200 || got != "tempreature, messages[0].mood" {
		t.Errorf("status %d, ignored fields %q", status, got)
	}
	strict := newServer(t, say("ok"), func(o *Options) { o.Strict = true })
	status, answer, _ := strict.post(t, "/v1/chat/completions", body)
	if message, param, _ := refusal(t, body, answer); status != 400 || param != "tempreature" || !strings.Contains(message, "messages[0].mood") {
		t.Errorf("strict: status %d: %s", status, answer)
	}
}

func TestTooLongNamesBothNumbers(t *testing.T) {
	s := newServer(t, say("ok"))
	status, answer, _ := s.post(t, "/v1/completions", `{"prompt": "`+strings.Repeat("x", 300)+`"}`)
	message, _, code := refusal(t, "300 tokens", answer)
	if status != 400 || code != "context_length_exceeded" || !strings.Contains(message, "300") || !strings.Contains(message, "256") {
		t.Errorf("status %d, %s: %s", status, code, message)
	}
	most := ask[completionReply](t, s, "/v1/completions", `{"prompt": "`+strings.Repeat("x", 200)+`", "max_tokens": 2147483647, "ignore_eos": true}`)
	if *most.Choices[0].Finish != "length" || most.Usage.Completion != 57 {
		t.Errorf("up to the end of the context: %s, %+v", *most.Choices[0].Finish, most.Usage)
	}
}

func TestTemplateRefuses(t *testing.T) {
	status, answer, _ := newServer(t, say("ok"), func(o *Options) { o.Template = nil }).post(t, "/v1/chat/completions", `{`+hi+`}`)
	if message, _, _ := refusal(t, "", answer); status != 400 || !strings.Contains(message, "template") {
		t.Errorf("without a template: status %d: %s", status, answer)
	}
	strict := newServer(t, say("ok"), func(o *Options) {
		o.Template = template(t, `{{ raise_exception("roles must alternate") }}`)
	})
	status, answer, _ = strict.post(t, "/v1/chat/completions", `{`+hi+`}`)
	if message, _, _ := refusal(t, "", answer); status != 400 || !strings.Contains(message, "roles must alternate") {
		t.Errorf("a template that raises: status %d: %s", status, answer)
	}
	broken := newServer(t, say("ok"), func(o *Options) { o.Template = template(t, `{{ messages[5].content }}`) })
	if status, answer, _ = broken.post(t, "/v1/chat/completions", `{`+hi+`}`); status != 400 {
		t.Errorf("a template that fails: status %d: %s", status, answer)
	}
}
