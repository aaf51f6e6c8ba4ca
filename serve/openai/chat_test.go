package openai

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/minillm/internal/fake"
)

type delta struct {
	ID, Object, Model string
	Created           int64
	Choices           []struct {
		Index int
		Delta struct {
			Role      string
			Content   *string
			Reasoning *string `json:"reasoning_content"`
		}
		Logprobs *chatLogprobs
		Finish   *string `json:"finish_reason"`
	}
	Usage *usage
}

func TestChat(t *testing.T) {
	s := newServer(t, say("Hello 🦙!"))
	r := ask[chatReply](t, s, "/v1/chat/completions", `{"model": "fake", "messages": [{"role": "user", "content": "hi"}]}`)
	c := r.Choices[0]
	if *c.Message.Content != "Hello 🦙!" || c.Message.Role != "assistant" || c.Finish != "stop" || c.Logprobs != nil || len(r.Choices) != 1 {
		t.Errorf("got %+v", c)
	}
	if r.Object != "chat.completion" || r.Model != "fake" || !strings.HasPrefix(r.ID, "chatcmpl-") || r.Created == 0 {
		t.Errorf("got %+v", r.header)
	}
	if want := (usage{Prompt: 21, Completion: 12, Total: 33}); r.Usage != want {
		t.Errorf("usage %+v, want %+v", r.Usage, want)
	}
}

func TestChatIsTheSameStreamed(t *testing.T) {
	s := newServer(t, say("你好, <world> & 🦙é\x80!"))
	for _, more := range []string{"", `, "stop": "world"`, `, "max_tokens": 5`, `, "n": 3`, `, "stop": ["🦙"], "include_stop_str_in_output": true`} {
		body := `{"temperature": 0, "messages": [{"role": "user", "content": "hi"}]` + more
		whole := ask[chatReply](t, s, "/v1/chat/completions", body+`}`)
		texts, finish := make([]string, len(whole.Choices)), make([]string, len(whole.Choices))
		for _, d := range decode[delta](t, s.events(t, "/v1/chat/completions", body+`, "stream": true}`)) {
			if d.Usage != nil || len(d.Choices) != 1 || d.Object != "chat.completion.chunk" {
				t.Fatalf("%s: chunk %+v", more, d)
			}
			c := d.Choices[0]
			if first := texts[c.Index] == "" && finish[c.Index] == ""; first != (c.Delta.Role == "assistant") {
				t.Errorf("%s: role %q, first %v", more, c.Delta.Role, first)
			}
			if c.Delta.Content != nil {
				texts[c.Index] += *c.Delta.Content
			}
			if c.Finish != nil {
				finish[c.Index] += *c.Finish
			}
		}
		for i, c := range whole.Choices {
			if texts[i] != *c.Message.Content || finish[i] != c.Finish {
				t.Errorf("%s: streamed %q, %s; whole %q, %s", more, texts[i], finish[i], *c.Message.Content, c.Finish)
			}
		}
	}
}

func TestUsageChunk(t *testing.T) {
	s := newServer(t, say("ok"))
	for _, c := range []struct {
		options string
		want    int
	}{{``, 0}, {`, "stream_options": null`, 0}, {`, "stream_options": {}`, 0}, {`, "stream_options": {"include_usage": false}`, 0},
		{`, "stream_options": {"include_usage": true}`, 1}} {
		n := 0
		chunks := decode[delta](t, s.events(t, "/v1/chat/completions", `{"stream": true, "n": 2, "messages": [{"role": "user", "content": "hi"}]`+c.options+`}`))
		for i, d := range chunks {
			if len(d.Choices) > 0 && d.Usage == nil {
				continue
			}
			n++
			if i != len(chunks)-1 || d.Choices == nil || *d.Usage != (usage{21, 6, 27, promptDetails{d.Usage.Details.Cached}}) {
				t.Errorf("%s: chunk %d of %d: %+v", c.options, i, len(chunks), d.Usage)
			}
		}
		if n != c.want {
			t.Errorf("%s: %d chunks with usage, want %d", c.options, n, c.want)
		}
	}
}

func TestChatLogprobs(t *testing.T) {
	s := newServer(t, say("né"))
	body := `{"logprobs": true, "top_logprobs": 2, "temperature": 0, "messages": [{"role": "user", "content": "hi"}]`
	whole := ask[chatReply](t, s, "/v1/chat/completions", body+`}`).Choices[0].Logprobs.Content
	var streamed []chatLogprob
	for _, d := range decode[delta](t, s.events(t, "/v1/chat/completions", body+`, "stream": true}`)) {
		streamed = append(streamed, d.Choices[0].Logprobs.Content...)
	}
	if fmt.Sprint(whole) != fmt.Sprint(streamed) {
		t.Errorf("streamed %v, whole %v", streamed, whole)
	}
	var names []string
	var text []byte
	for _, c := range whole {
		names = append(names, c.Token)
		for _, b := range c.Bytes {
			text = append(text, byte(b))
		}
		if len(c.Top) != 2 || c.Top[0].Token != c.Token || c.Logprob > 0 || c.Top[1].Logprob > c.Logprob {
			t.Errorf("got %+v", c)
		}
	}
	if want := []string{"n", `\xc3`, `\xa9`, "<|eos|>"}; !slices.Equal(names, want) || string(text) != "né" {
		t.Errorf("tokens %q of %q, want %q", names, text, want)
	}
}

func TestReasoning(t *testing.T) {
	const thought, reply = "r Question: r2", "ans Question: x"
	s := newServer(t, say(thought+"</think>\n\n"+reply))
	for _, c := range []struct{ body, reasoning, content string }{
		{`"enable_thinking": true`, thought, reply},
		{`"chat_template_kwargs": {"enable_thinking": true}`, thought, reply},
		{`"reasoning_effort": "low"`, thought, reply},
		{`"enable_thinking": true, "stop": "Question:"`, thought, "ans "}, // looked for in the answer alone
		{`"enable_thinking": true, "max_tokens": 3`, "r Q", ""},
		{`"enable_thinking": false`, "", thought + "</think>\n\n" + reply}, // tags in an answer are text
	} {
		body := `{"temperature": 0, "messages": [{"role": "user", "content": "hi"}], ` + c.body
		m := ask[chatReply](t, s, "/v1/chat/completions", body+`}`).Choices[0].Message
		var reasoning, content string
		for _, d := range decode[delta](t, s.events(t, "/v1/chat/completions", body+`, "stream": true}`)) {
			if r := d.Choices[0].Delta.Reasoning; r != nil {
				reasoning += *r
			}
			if x := d.Choices[0].Delta.Content; x != nil {
				content += *x
			}
		}
		if m.Reasoning != c.reasoning || *m.Content != c.content || reasoning != m.Reasoning || content != *m.Content {
			t.Errorf("%s: whole %q, %q; streamed %q, %q; want %q, %q", c.body, m.Reasoning, *m.Content, reasoning, content, c.reasoning, c.content)
		}
	}
}

func TestChoicesAreSeeded(t *testing.T) {
	s := newServer(t, &fake.Model{})
	draw := func(seed int) (texts []string) {
		r := ask[chatReply](t, s, "/v1/chat/completions", fmt.Sprintf(
			`{"n": 4, "seed": %d, "temperature": 1.5, "max_tokens": 12, "ignore_eos": true, "messages": [{"role": "user", "content": "hi"}]}`, seed))
		for _, c := range r.Choices {
			texts = append(texts, *c.Message.Content)
		}
		if r.Usage.Completion != 48 {
			t.Errorf("%d completion tokens of 4 choices of 12", r.Usage.Completion)
		}
		return texts
	}
	seven, again, eight := draw(7), draw(7), draw(8)
	if !slices.Equal(seven, again) || slices.Equal(seven, eight) {
		t.Errorf("seed 7: %q, again %q, seed 8: %q", seven, again, eight)
	}
	if slices.Sort(seven); len(slices.Compact(seven)) < 2 {
		t.Errorf("four choices, all %q", seven[0])
	}
}

func TestCachedTokensAndSalt(t *testing.T) {
	s := newServer(t, say("ok"))
	cached := func(salt string) int {
		return ask[chatReply](t, s, "/v1/chat/completions", fmt.Sprintf(
			`{"cache_salt": %q, "messages": [{"role": "user", "content": "a question that is longer than a block of positions"}]}`, salt)).Usage.Details.Cached
	}
	if got := []int{cached("a"), cached("a"), cached("b"), cached("b")}; got[0] != 0 || got[1] == 0 || got[2] != 0 || got[3] == 0 {
		t.Errorf("cached tokens %v", got)
	}
}

// What the template makes of messages reaches the model.
func TestMessages(t *testing.T) {
	var prompt string
	s := newServer(t, &fake.Model{Script: func(tokens []int32) int32 {
		prompt = string(fake.Bytes{}.Decode(nil, tokens...))
		return fake.EOS
	}})
	for _, c := range []struct{ messages, want string }{
		{`{"role": "user", "content": "hi"}`, "user\nhi\n"},
		{`{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}`, "user\na\nb\n"},
		{`{"role": "developer", "content": "d"}, {"role": "user", "content": "hi"}`, "system\nd\nuser\nhi\n"},
		{`{"role": "user", "content": ""}`, "user\n\n"},
		{`{"role": "user", "content": "a"}, {"role": "assistant", "content": ""}, {"role": "user", "content": "b"}`, "user\na\nassistant\n\nuser\nb\n"},
		{`{"role": "assistant", "content": null, "refusal": null}, {"role": "tool", "content": "4", "tool_call_id": "x"}`, "assistant\n\ntool\n4\n"},
		{`{"role": "user", "content": "\ud800"}`, "user\n\ufffd\n"},
	} {
		ask[chatReply](t, s, "/v1/chat/completions", `{"messages": [`+c.messages+`]}`)
		if want := c.want + "assistant\n"; prompt != want {
			t.Errorf("%s: prompt %q, want %q", c.messages, prompt, want)
		}
	}
}
