package tokenizer

import (
	"bytes"
	"testing"

	"example.com/minillm/internal/gguf"
)

// file is a GGUF file of metadata only.
func file(t testing.TB, kv ...gguf.KV) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gguf.Write(&b, kv, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func load(t testing.TB, kv ...gguf.KV) Tokenizer {
	t.Helper()
	tok, err := LoadBytes(file(t, kv...))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// piece is a token of a vocabulary that a test makes.
type piece struct {
	text string
	kind kind
}

// spmKV is a vocabulary of the SentencePiece kind, whose earlier normal tokens merge first.
func spmKV(pieces ...piece) []gguf.KV {
	var tokens []string
	var types []int32
	var scores []float32
	for i, p := range pieces {
		tokens, types, scores = append(tokens, p.text), append(types, int32(p.kind)), append(scores, -float32(i))
	}
	return []gguf.KV{
		{Key: "tokenizer.ggml.model", Value: "llama"},
		{Key: "tokenizer.ggml.tokens", Value: tokens},
		{Key: "tokenizer.ggml.token_type", Value: types},
		{Key: "tokenizer.ggml.scores", Value: scores},
	}
}

// hello is a vocabulary with a dummy space, a user-defined token and bytes.
func hello(t testing.TB, more ...gguf.KV) Tokenizer {
	pieces := []piece{
		{"<unk>", unknown}, {"<s>", control}, {"</s>", control}, {"<|channel|>", userDefined}, {"<|user|>", control},
		{"<tool_call>", userDefined},
		{"▁Hello", normal}, {"▁world", normal}, {"Hello", normal}, {"world", normal}, {"▁analysis", normal},
		{"analysis", normal}, {"▁▁", normal},
	}
	for _, word := range []string{"Hello", "world", "analysis"} {
		for n := len(word) - 1; n > 1; n-- {
			pieces = append(pieces, piece{word[:n], normal}, piece{"▁" + word[:n], normal})
		}
	}
	for _, c := range "▁abcdefghijklmnopqrstuvwxyzH" {
		pieces = append(pieces, piece{string(c), normal}, piece{"▁" + string(c), normal})
	}
	for b := range 256 {
		pieces = append(pieces, piece{hexToken(b), byteValue})
	}
	return load(t, append(spmKV(unique(pieces)...), more...)...)
}

func hexToken(b int) string {
	const hex = "0123456789ABCDEF"
	return "<0x" + string(hex[b>>4]) + string(hex[b&15]) + ">"
}

func unique(pieces []piece) (out []piece) {
	seen := map[string]bool{}
	for _, p := range pieces {
		if !seen[p.text] {
			out = append(out, p)
		}
		seen[p.text] = true
	}
	return out
}

// learned is a small byte-level vocabulary with the control tokens of ChatML.
func learned(t testing.TB) *BPE {
	t.Helper()
	tok, err := Train(TrainOptions{Size: 330, Special: []string{"<|im_start|>", "<|im_end|>"}, Pre: "qwen2"},
		"The cat sat on the mat; the dog sat on the cat.", "Wörter, слова, 世界 and words: don't they're I'll 12345.")
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// id is the id of a piece, which the vocabulary has.
func id(t testing.TB, tok Tokenizer, piece string) int32 {
	t.Helper()
	for i := range int32(tok.Size()) {
		if string(tok.Piece(i)) == piece {
			return i
		}
	}
	t.Fatalf("no piece %q", piece)
	return -1
}

func ids(t testing.TB, tok Tokenizer, pieces ...string) (ids []int32) {
	t.Helper()
	for _, p := range pieces {
		ids = append(ids, id(t, tok, p))
	}
	return ids
}
