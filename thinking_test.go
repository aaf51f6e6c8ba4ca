package minillm_test

import (
	"bytes"
	"testing"

	"example.com/minillm"
	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/tiny"
)

// thinker is a template whose prompts open the reasoning, if thinking is on.
const thinker = `{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}<|im_start|>assistant
{% if enable_thinking %}<think>
{% endif %}{# </think> #}`

// withTemplate is a tiny random model with another chat template.
func withTemplate(t *testing.T, template string) []byte {
	t.Helper()
	f, err := gguf.Parse(tiny.GGUF(tiny.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	var kv []gguf.KV
	for _, key := range f.Keys() {
		value, _ := f.Get(key)
		if key == "tokenizer.chat_template" {
			value = template
		}
		kv = append(kv, gguf.KV{Key: key, Value: value})
	}
	var b bytes.Buffer
	if err := gguf.Write(&b, kv, f.Tensors); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestReasoningIsNoAnswer: a random model never ends its thoughts.
func TestReasoningIsNoAnswer(t *testing.T) {
	m, err := minillm.OpenBytes(withTemplate(t, thinker), minillm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	messages := []minillm.Message{{Role: "user", Content: "Hello"}}
	for _, thinking := range []bool{true, false} {
		r := minillm.Request{MaxTokens: 12, Thinking: thinking}
		reply, err := m.Chat(t.Context(), messages, r)
		if err != nil {
			t.Fatal(err)
		}
		if thinking != (reply.Text == "") || thinking != (reply.Reasoning != "") {
			t.Errorf("thinking %v: answer %q, reasoning %q", thinking, reply.Text, reply.Reasoning)
		}
		var text, thought string
		for p, err := range m.ChatStream(t.Context(), messages, r) {
			if err != nil {
				t.Fatal(err)
			}
			text, thought = text+p.Text, thought+p.Reasoning
		}
		if text != reply.Text || thought != reply.Reasoning {
			t.Errorf("thinking %v: streamed %q and %q, at once %q and %q", thinking, text, thought, reply.Text, reply.Reasoning)
		}
	}
}
