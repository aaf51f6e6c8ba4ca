package tokenizer

import (
	"slices"
	"strings"
	"testing"

	"example.com/minillm/internal/gguf"
)

// The tests of this file are faults that users of other engines reported, in small.

// llama.cpp#167: the bytes of an emoji.
func TestByteFallback(t *testing.T) {
	tok := loadVocabulary(t, "llama-spm")
	bos, add := tok.BOS()
	if !add {
		t.Error("the model wants BOS")
	}
	got := tok.Encode([]int32{bos}, "This is 🦙.cpp")
	if want := []int32{1, 910, 338, 29871, 243, 162, 169, 156, 29889, 8223}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if s := string(tok.Decode(nil, got...)); s != "This is 🦙.cpp" {
		t.Errorf("decoded %q", s)
	}
}

// swift-transformers#387: a character that only bytes can spell, and one that even they cannot.
func TestByteFallbackAllOrNothing(t *testing.T) {
	kv := spmKV(piece{"<unk>", unknown}, piece{"a", normal}, piece{"b", normal}, piece{"<0x0A>", byteValue},
		piece{"<0xC3>", byteValue})
	tok := load(t, append(kv,
		gguf.KV{Key: "tokenizer.ggml.add_space_prefix", Value: false},
		gguf.KV{Key: "tokenizer.ggml.unknown_token_id", Value: uint32(0)})...)
	for text, want := range map[string][]int32{
		"a\nb": {1, 3, 2}, "a\n\nb": {1, 3, 3, 2}, "aéb": {1, 0, 2}, "éé": {0, 0}, "\n": {3},
	} {
		if got := tok.Encode(nil, text); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// llama.cpp#23252: characters beyond ASCII in a vocabulary of merged characters.
func TestMergedCharacters(t *testing.T) {
	tok := loadVocabulary(t, "gemma-4")
	const text = "Café déjà vu — 123 😊"
	got := tok.Encode(nil, text)
	if s := string(tok.Decode(nil, got...)); s != text {
		t.Errorf("decoded %q", s)
	}
	want := []int32{160319, 236859, 29234, 11042, 2192, 236743, 236770, 236778, 236800, 103453} // Hugging Face's
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// iree#23805: text right behind a token that takes white space away.
func TestTextBehindStrippingToken(t *testing.T) {
	name := gguf.KV{Key: "general.name", Value: "Phi-3-mini"}
	tok := hello(t, name, gguf.KV{Key: "tokenizer.ggml.add_space_prefix", Value: false})
	want := ids(t, tok, "<|user|>", "Hello")
	for _, text := range []string{"<|user|>Hello", "<|user|>\n  Hello"} {
		if got := tok.EncodeSpecial(nil, text); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	if got := EncodeMixed(tok, nil, "<|user|>\n Hello", Span{9, 15}); slices.Equal(got, want) {
		t.Error("white space of a user was taken away")
	}
}

// tiktoken#82: bytes that are no text.
func TestInvalidUTF8(t *testing.T) {
	for name, tok := range map[string]Tokenizer{"bpe": learned(t), "spm": hello(t)} {
		for _, text := range []string{"\xed\xa0\x80", "a\xff", "\xf0\x9f", "\xc3(", "\xe4\xb8"} {
			got, want := tok.Encode(nil, text), tok.Encode(nil, string([]rune(text)))
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q: got %v, want %v", name, text, got, want)
			}
		}
	}
}

// zml#157: no unknown token, no byte fallback by name.
func TestBytesNeedNoUnknownToken(t *testing.T) {
	tok := loadVocabulary(t, "llama-bpe")
	got := tok.Encode(nil, "🦙")
	for _, id := range got {
		if id < 0 || int(id) >= tok.Size() {
			t.Errorf("id %d of %d", id, tok.Size())
		}
	}
	if s := string(tok.Decode(nil, got...)); s != "🦙" {
		t.Errorf("decoded %q", s)
	}
}

// mlx-vlm#2112: ids that end a generation are named in several places.
func TestStopsAreUnited(t *testing.T) {
	kv := spmKV(piece{"<unk>", unknown}, piece{"<eos>", control}, piece{"<bos>", control}, piece{"<end_of_turn>", control},
		piece{"a", normal}, piece{"<|eom|>", control})
	tok := load(t, append(kv, gguf.KV{Key: "tokenizer.ggml.bos_token_id", Value: uint32(2)},
		gguf.KV{Key: "tokenizer.ggml.eos_token_id", Value: uint32(1)},
		gguf.KV{Key: "tokenizer.ggml.eom_token_id", Value: uint32(5)})...)
	if got := tok.Stops(); !slices.Equal(got, []int32{1, 3, 5}) {
		t.Errorf("stops %v", got)
	}
}

// push streams ids and returns what came, "|" between pushes.
func push(s *Stream, ids ...int32) string {
	var parts []string
	for _, id := range ids {
		parts = append(parts, s.Push(id))
	}
	return strings.Join(parts, "|")
}

func bytesOf(t *testing.T, tok Tokenizer, s string) (out []int32) {
	for i := range len(s) {
		out = append(out, id(t, tok, s[i:i+1]))
	}
	return out
}

// kronk#275, vllm-mlx#109, vllm#24159: characters whose bytes come one by one, and bytes that are no characters.
func TestStreamOfBytes(t *testing.T) {
	tok := learned(t)
	for _, tt := range []struct{ bytes, want, flush string }{
		{"\xf0\x9f\x98\x80", "|||😀", ""},
		{"ď", "|ď", ""},
		{"\x80\x80\x80", "\ufffd|\ufffd|\ufffd", ""},
		{"\xf0\x9f!", "||\ufffd\ufffd!", ""},
		{"a\xe4\xb8", "a||", "\ufffd\ufffd"},
		{"\xe4\xc3\xa9", "|\ufffd|é", ""},
	} {
		s := NewStream(tok)
		if got := push(s, bytesOf(t, tok, tt.bytes)...); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.bytes, got, tt.want)
		}
		if got := s.Flush(); got != tt.flush {
			t.Errorf("%q: flushed %q, want %q", tt.bytes, got, tt.flush)
		}
	}
}

// vllm#8627: what is streamed is what is decoded.
func TestStreamIsDecode(t *testing.T) {
	for name, tok := range map[string]Tokenizer{"bpe": learned(t), "spm": hello(t)} {
		const text = "你好🦙é Hello"
		s := NewStream(tok)
		var got string
		for _, id := range tok.Encode(nil, text) {
			got += s.Push(id)
		}
		if got += s.Flush(); got != text {
			t.Errorf("%s: streamed %q", name, got)
		}
	}
}

// tokenizers#1141, llama.cpp#24008: spaces at the beginning, between words and behind special tokens.
func TestDummySpace(t *testing.T) {
	tok := hello(t)
	prompt := ids(t, tok, " Hello")
	for _, tt := range []struct {
		stream *Stream
		ids    []int32
		want   string
	}{
		{NewStream(tok), ids(t, tok, " Hello", " world"), "Hello| world"},
		{NewStream(tok), ids(t, tok, "<s>", " Hello", " world"), "|Hello| world"},
		{NewStream(tok), ids(t, tok, "<|channel|>", " analysis"), "<|channel|>|analysis"},
		{NewStream(tok), ids(t, tok, "<tool_call>", " analysis"), "<tool_call>|analysis"},
		{NewStream(tok, prompt...), ids(t, tok, " world"), " world"},
		{NewStream(tok, 1), ids(t, tok, " world"), "world"},
	} {
		if got := push(tt.stream, tt.ids...); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.ids, got, tt.want)
		}
	}
	for _, text := range []string{
		"Hello world", " Hello", "  Hello", "", " ", "<|channel|>analysis<|channel|> analysis", "<tool_call>a <tool_call> a",
	} {
		if got := string(tok.Decode(nil, tok.Encode(nil, text)...)); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
		if got := string(tok.Decode(nil, tok.EncodeSpecial(nil, text)...)); got != text {
			t.Errorf("%q came back as %q from trusted text", text, got)
		}
	}
}
