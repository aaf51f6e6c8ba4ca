package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

const chatMLTemplate = `{%- for message in messages -%}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif -%}`

// thinkTemplate handles reasoning as the templates of Qwen3 do.
const thinkTemplate = `{%- for m in messages %}
{%- set content = m.content %}
{%- if m.role == 'assistant' %}
	{%- set reasoning = '' %}
	{%- if m.reasoning_content is string %}
		{%- set reasoning = m.reasoning_content %}
	{%- elif '</think>' in content %}
		{%- set reasoning = content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}
		{%- set content = content.split('</think>')[-1].lstrip('\n') %}
	{%- endif %}
	{{- '<|im_start|>assistant\n' }}
	{%- if reasoning and loop.last %}{{ '<think>\n' + reasoning.strip() + '\n</think>\n\n' }}{% endif %}
	{{- content + '<|im_end|>\n' }}
{%- else %}
	{{- '<|im_start|>' + m.role + '\n' + content + '<|im_end|>\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
	{{- '<|im_start|>assistant\n' }}
	{%- if not enable_thinking %}{{ '<think>\n\n</think>\n\n' }}{% endif %}
{%- endif %}`

// strictTemplate refuses what the template of Gemma does.
const strictTemplate = `{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- for message in messages %}
{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) or message.role == 'system' %}{{ raise_exception('Conversation roles must alternate, not ' ~ message.role ~ message.content) }}{% endif %}
{{- message['content'] | trim }}{% endfor %}`

func must(t testing.TB, template string, v vocab) *Template {
	t.Helper()
	tmpl, err := New(template, v)
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

func encode(t testing.TB, tmpl *Template, o Options, messages ...Message) string {
	t.Helper()
	ids, err := tmpl.Encode(messages, o)
	if err != nil {
		t.Fatal(err)
	}
	return tmpl.tok.(vocab).text(ids)
}

func TestEncode(t *testing.T) {
	tmpl := must(t, chatMLTemplate, chatML)
	messages := []Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Hi"}}
	want := "«<|im_start|>»system\nBe brief.«<|im_end|>»\n«<|im_start|>»user\nHi«<|im_end|>»\n"
	if got := encode(t, tmpl, Options{NoGenerationPrompt: true}, messages...); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want += "«<|im_start|>»assistant\n"
	if got := encode(t, tmpl, Options{}, messages...); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := tmpl.Encode(nil, Options{}); !errors.Is(err, ErrNoMessages) {
		t.Errorf("no messages: %v", err)
	}
}

func TestBOS(t *testing.T) {
	adds := chatML
	adds.addBOS = true
	for _, tt := range []struct {
		template string
		v        vocab
		want     string
	}{
		{"{{ bos_token }}x", adds, "«<|endoftext|>»x"},
		{"<|endoftext|>x", adds, "«<|endoftext|>»x"},
		{"x", adds, "«<|endoftext|>»x"},
		{"x", chatML, "x"},
		{"{{ bos_token }}x{{ eos_token }}", chatML, "«<|endoftext|>»x«<|im_end|>»"},
		{"{{ messages[0].content }}", adds, "«<|endoftext|>»<|endoftext|>"},
		{"{{ messages[1] }}", adds, "«<|endoftext|>»"},
	} {
		if got := encode(t, must(t, tt.template, tt.v), Options{}, Message{Content: "<|endoftext|>"}); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.template, got, tt.want)
		}
	}
	if got := encode(t, must(t, "{{ bos_token }}{{ eos_token }}", chatML), Options{BOS: "<|im_start|>", EOS: "e"}, Message{}); got != "«<|im_start|>»e" {
		t.Errorf("given: %q", got)
	}
}

// TestContent: an empty content is not null, and what is absent is undefined.
func TestContent(t *testing.T) {
	tmpl := must(t, `{% for m in messages %}{{ m.content is none }} {{ m.content is string }} {{ m.content == '' }} [{{ m.content }}] {{ 'name' in m }} {{ m.tool_calls is defined }} {{ m.keys()|join(',') }}
{% endfor %}`, chatML)
	got := encode(t, tmpl, Options{}, Message{Role: "user", Content: "x"}, Message{Role: "assistant"}, Message{Role: "assistant", Null: true},
		Message{Role: "tool", Content: "1", ToolCallID: "i", Name: "f"})
	want := `False True False [x] False False role,content
False True True [] False False role,content
True False False [] False False role,content
False True False [1] True False role,content,tool_call_id,name
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestToolCalls(t *testing.T) {
	tmpl := must(t, `{% for t in tools %}{{ t|tojson }}{% endfor %}{% for c in messages[0].tool_calls %}{{ c|tojson }} {% endfor %}`, chatML)
	m := Message{Role: "assistant", Null: true, ToolCalls: []ToolCall{
		{ID: "1", Name: "f", Arguments: `{"z": 1.0, "a": [true, null], "n": 12345678901234567}`}, {Name: "g", Arguments: "[1"}, {Name: "h"},
	}}
	tool := json.RawMessage(`{"type":"function","function":{"name":"f","x":1e3,"items":{}}}`)
	want := `{"type": "function", "function": {"name": "f", "x": 1000.0, "items": {}}}` +
		`{"id": "1", "type": "function", "function": {"name": "f", "arguments": {"z": 1.0, "a": [true, null], "n": 12345678901234567}}} ` +
		`{"type": "function", "function": {"name": "g", "arguments": "[1"}} {"type": "function", "function": {"name": "h", "arguments": ""}} `
	if got := encode(t, tmpl, Options{Tools: []json.RawMessage{tool}}, m); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	deep := json.RawMessage(strings.Repeat(`{"items":`, 10_000) + "1" + strings.Repeat("}", 10_000))
	for _, broken := range []string{"", "{", `{"a":}`, "{} {}", string(deep)} {
		if _, err := tmpl.Encode([]Message{m}, Options{Tools: []json.RawMessage{json.RawMessage(broken)}}); err == nil || !strings.Contains(err.Error(), "tool 0") {
			t.Errorf("%.20s: %v", broken, err)
		}
	}
}

func TestVariables(t *testing.T) {
	tmpl := must(t, "{{ enable_thinking }} {{ thinking }} {{ effort }} {{ doc }} {{ tools is defined }}", chatML)
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{}, "False False   False"},
		{Options{Thinking: true}, "True True   False"},
		{Options{Thinking: true, Variables: map[string]any{"enable_thinking": false}}, "False True   False"},
		{Options{Variables: map[string]any{"effort": "<|im_end|>", "doc": json.RawMessage(`{"b":1,"a":"x"}`)}}, "False False <|im_end|> {'b': 1, 'a': 'x'} False"},
	} {
		if got := encode(t, tmpl, tt.o, Message{}); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.o, got, tt.want)
		}
	}
	for name, x := range map[string]any{"messages": 1, "tools": 1, "add_generation_prompt": true, "f": func() {}} {
		if _, err := tmpl.Encode([]Message{{}}, Options{Variables: map[string]any{name: x}}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRaised: a template's refusal reaches the caller, word for word.
func TestRaised(t *testing.T) {
	tmpl := must(t, strictTemplate, chatML)
	for _, tt := range []struct {
		messages []Message
		want     string
	}{
		{[]Message{{Role: "system"}}, "System role not supported"},
		{[]Message{{Role: "user"}, {Role: "user", Content: "<|im_end|>"}}, "Conversation roles must alternate, not user<|im_end|>"},
		{[]Message{{Role: "user"}, {Role: "system"}}, "Conversation roles must alternate, not system"},
	} {
		_, err := tmpl.Encode(tt.messages, Options{})
		var raised *RaisedError
		if !errors.As(err, &raised) || raised.Message != tt.want || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
	if got := encode(t, tmpl, Options{}, Message{Role: "user", Content: " a "}, Message{Role: "assistant", Content: "b"}); got != "«<|endoftext|>»ab" {
		t.Errorf("got %q", got)
	}
}

func TestInvalidText(t *testing.T) {
	got := encode(t, must(t, chatMLTemplate, chatML), Options{NoGenerationPrompt: true}, Message{Role: "user", Content: "a\xed\xa0\x80<|im_end|>\xff"})
	if want := "«<|im_start|>»user\na\uFFFD<|im_end|>\uFFFD«<|im_end|>»\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestConcurrent renders one template from many goroutines; run with -race.
func TestConcurrent(t *testing.T) {
	tmpl := must(t, thinkTemplate, chatML)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			content := strings.Repeat("<", i%3) + fmt.Sprintf("|im_end|> %d", i)
			messages := []Message{{Role: "user", Content: content}, {Role: "assistant", Content: "<think>x</think>y" + content}}
			ids, err := tmpl.Encode(messages, Options{Thinking: true})
			want := "«<|im_start|>»user\n" + content + "«<|im_end|>»\n«<|im_start|>»assistant\n«<think>»\nx\n«</think>»\n\ny" + content + "«<|im_end|>»\n«<|im_start|>»assistant\n"
			if got := chatML.text(ids); err != nil || got != want {
				t.Errorf("%v\n got %q\nwant %q", err, got, want)
			}
		})
	}
	wg.Wait()
}

func TestEOS(t *testing.T) {
	if id := must(t, "x", chatML).eos(); id != 258 {
		t.Errorf("first stop: %d", id)
	}
	tmpl, err := New("{{ eos_token }}", eosVocab{chatML})
	if err != nil {
		t.Fatal(err)
	}
	if ids, err := tmpl.Encode([]Message{{}}, Options{}); err != nil || !slices.Equal(ids, []int32{257}) {
		t.Errorf("%v, %v", ids, err)
	}
}

type eosVocab struct{ vocab }

func (eosVocab) EOS() int32 { return 257 }

func BenchmarkEncode(b *testing.B) {
	tmpl := must(b, thinkTemplate, chatML)
	messages := slices.Repeat([]Message{{Role: "user", Content: strings.Repeat("if a < b { ", 20)}, {Role: "assistant", Content: "<think>x</think>y"}}, 10)
	for b.Loop() {
		if _, err := tmpl.Encode(messages, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
