package tokenizer

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"example.com/minillm/internal/gguf"
)

// Metadata returns what a model file says about the tokenizer, for a writer of
// such files. Load makes an equal tokenizer of it.
func (t *BPE) Metadata() []gguf.KV {
	tokens, types := make([]string, t.Size()), make([]int32, t.Size())
	for id := range tokens {
		if types[id] = int32(t.kinds[id]); t.kinds[id] == marker {
			types[id] = int32(control)
		}
		if tokens[id] = string(t.Piece(int32(id))); t.kinds[id] == normal {
			tokens[id] = toByteLevel(t.Piece(int32(id)))
		}
	}
	kv := []gguf.KV{
		{Key: "tokenizer.ggml.model", Value: "gpt2"},
		{Key: "tokenizer.ggml.pre", Value: t.pre.name},
		{Key: "tokenizer.ggml.tokens", Value: tokens},
		{Key: "tokenizer.ggml.token_type", Value: types},
		{Key: "tokenizer.ggml.merges", Value: t.mergeLines(tokens)},
		{Key: "tokenizer.ggml.add_bos_token", Value: t.addBOS},
	}
	if t.bos >= 0 {
		kv = append(kv, gguf.KV{Key: "tokenizer.ggml.bos_token_id", Value: uint32(t.bos)})
	}
	if t.eos >= 0 {
		kv = append(kv, gguf.KV{Key: "tokenizer.ggml.eos_token_id", Value: uint32(t.eos)})
	}
	return kv
}

// mergeLines spells the merges in their order.
func (t *BPE) mergeLines(tokens []string) []string {
	pairs := slices.SortedFunc(maps.Keys(t.merges), func(a, b pair) int {
		return cmp.Compare(t.merges[a].rank, t.merges[b].rank)
	})
	lines := make([]string, len(pairs))
	for i, p := range pairs {
		lines[i] = tokens[p.left] + " " + tokens[p.right]
	}
	return lines
}

// Save writes the tokenizer as a model file without a model, which Load and LoadBytes read.
func (t *BPE) Save(w io.Writer) error {
	if err := gguf.Write(w, t.Metadata(), nil); err != nil {
		return fmt.Errorf("tokenizer: %w", err)
	}
	return nil
}
