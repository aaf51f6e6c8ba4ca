package bench

import (
	"encoding/json"
	"errors"
	"testing"
)

var plainChunk = []byte(`{"choices":[{"finish_reason":null,"index":0,"delta":{"content":" mountain"}}],` +
	`"created":1760000000,"id":"chatcmpl-8Yp3yJwEJzLzqfZ8mWmCzq7n2cUqgk5B","model":"a-model.gguf","object":"chat.completion.chunk"}`)

func TestChunk(t *testing.T) {
	for _, test := range []struct {
		name, json string
		want       chunk
		usage      Usage
	}{
		{"plain", string(plainChunk), chunk{text: " mountain"}, Usage{}},
		{"role", `{"choices":[{"delta":{"role":"assistant","content":null}}]}`, chunk{}, Usage{}},
		{"empty", `{"choices":[{"delta":{"role":"assistant","content":""}}]}`, chunk{}, Usage{}},
		{"escapes", ` { "choices" : [ { "delta" : { "content" : "a\"b\\\n\ud83e\udd99 é" } } ] } `, chunk{text: "a\"b\\\n🦙 é"}, Usage{}},
		{"reasoning", `{"choices":[{"delta":{"reasoning_content":"hm"}}]}`, chunk{text: "hm"}, Usage{}},
		{"thinking by another name", `{"choices":[{"delta":{"reasoning":"hm","content":null}}]}`, chunk{text: "hm"}, Usage{}},
		{"completion", `{"choices":[{"text":"and","logprobs":null,"finish_reason":"length"}]}`, chunk{text: "and", finished: true}, Usage{}},
		{"finish", `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, chunk{finished: true}, Usage{}},
		{"no delta", `{"choices":[{"delta":null,"finish_reason":""}]}`, chunk{}, Usage{}},
		{"usage", `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":5}}}`,
			chunk{}, Usage{PromptTokens: 7, CachedTokens: 5, OutputTokens: 3}},
		{"null usage", `{"choices":[],"usage":null,"error":null}`, chunk{}, Usage{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c chunk
			if err := c.parse([]byte(test.json)); err != nil {
				t.Fatal(err)
			}
			var usage Usage
			if c.usage != nil {
				usage = *c.usage
			}
			if c.text != test.want.text || c.finished != test.want.finished || usage != test.usage {
				t.Errorf("got %+v %+v, want %+v %+v", c, usage, test.want, test.usage)
			}
		})
	}
}

func TestChunkErrors(t *testing.T) {
	for text, want := range map[string]Kind{
		`{"error":{"message":"out of memory"}}`:    Refused,
		`{"error":"out of memory"}`:                Refused,
		`{"usage":{"prompt_tokens":"seven"}}`:      Malformed,
		`{"choices":{"delta":{}}}`:                 Malformed,
		`{"choices":[{"delta":{"content":"\x"}}]}`: Malformed,
		`{} {}`:     Malformed,
		`[1,2]`:     Malformed,
		`null`:      Malformed,
		`<html>`:    Malformed,
		`{"a":}`:    Malformed,
		`{"a" "b"}`: Malformed,
	} {
		var c chunk
		var e *Error
		if err := c.parse([]byte(text)); !errors.As(err, &e) || e.Kind != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	var c chunk
	for n := range plainChunk {
		if c.parse(plainChunk[:n]) == nil {
			t.Errorf("accepted the cut chunk %s", plainChunk[:n])
		}
	}
}

// FuzzChunk compares with the standard library what any text comes out as, and
// sees that no bytes make the walker panic.
func FuzzChunk(f *testing.F) {
	f.Add(" mountain", "stop", []byte(`{"choices":[{"delta":{"content":"\`))
	f.Add("\x00\"\\\u2028🦙", "", []byte(`{"a":[[[{}]]],"b":-1.5e+7}`))
	f.Fuzz(func(t *testing.T, text, reason string, junk []byte) {
		data, err := json.Marshal(map[string]any{
			"id": reason, "nested": []any{text, map[string]any{reason: []any{nil, true, 1.5}}},
			"choices": []any{map[string]any{"delta": map[string]any{"content": text}, "finish_reason": reason}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var want string
		encoded, _ := json.Marshal(text) // makes invalid UTF-8 valid, as above
		if err := json.Unmarshal(encoded, &want); err != nil {
			t.Fatal(err)
		}
		var c chunk
		if err := c.parse(data); err != nil || c.text != want || c.finished != (reason != "") {
			t.Errorf("%s: got %+v, %v", data, c, err)
		}
		if c.parse(junk) == nil && !json.Valid(junk) {
			// More is accepted than JSON allows, but never less than an object.
			if trimmed := (&cursor{b: junk}).peek(); trimmed != '{' {
				t.Errorf("accepted %q", junk)
			}
		}
	})
}

func BenchmarkChunk(b *testing.B) {
	b.SetBytes(int64(len(plainChunk)))
	b.ReportAllocs()
	var c chunk
	for b.Loop() {
		if err := c.parse(plainChunk); err != nil {
			b.Fatal(err)
		}
	}
}
