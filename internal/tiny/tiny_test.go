package tiny

import (
	"bytes"
	"testing"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
)

func TestGGUF(t *testing.T) {
	for _, arch := range []string{"llama", "qwen2", "qwen3", "gemma3"} {
		t.Run(arch, func(t *testing.T) {
			a, b := GGUF(Config{Arch: arch}), GGUF(Config{Arch: arch})
			if !bytes.Equal(a, b) {
				t.Fatal("the same Config gave other bytes")
			}
			if bytes.Equal(a, GGUF(Config{Arch: arch, Seed: 1})) {
				t.Fatal("another seed gave the same bytes")
			}
			f, err := gguf.Parse(a)
			if err != nil {
				t.Fatal(err)
			}
			if got, _, err := f.String("general.architecture"); got != arch || err != nil {
				t.Errorf("architecture %q, %v", got, err)
			}
		})
	}
}

func TestTypes(t *testing.T) {
	for _, typ := range []quant.Type{quant.F16, quant.BF16, quant.Q4_0, quant.Q4_1, quant.Q5_0, quant.Q5_1, quant.Q8_0, quant.Q4_K, quant.Q5_K, quant.Q6_K} {
		f, err := gguf.Parse(GGUF(Config{Type: typ, Dim: 256, FFN: 256, Layers: 1, Tied: true}))
		if err != nil {
			t.Fatal(typ, err)
		}
		for _, x := range f.Tensors {
			want := typ
			if len(x.Shape) == 1 {
				want = quant.F32
			}
			if x.Type != want {
				t.Errorf("%s is %v, not %v", x.Name, x.Type, want)
			}
		}
	}
}

func TestVocabulary(t *testing.T) {
	f, err := gguf.Parse(GGUF(Config{Vocab: 300}))
	if err != nil {
		t.Fatal(err)
	}
	tokens, _, err := f.Strings("tokenizer.ggml.tokens")
	if err != nil || len(tokens) != 300 {
		t.Fatal(len(tokens), err)
	}
	types, _, err := f.Ints("tokenizer.ggml.token_type")
	if err != nil || len(types) != 300 {
		t.Fatal(len(types), err)
	}
	for id, want := range map[int]struct {
		piece string
		kind  int
	}{
		'a': {"a", 1}, ' ': {"Ġ", 1}, '\n': {"Ċ", 1}, 0: {"Ā", 1}, 0xad: {"Ń", 1}, 0xff: {"ÿ", 1},
		EndOfText: {"<|endoftext|>", 3}, StartTurn: {"<|im_start|>", 3}, EndTurn: {"<|im_end|>", 3},
		EndTurn + 1: {"Ġt", 1}, EndTurn + 7: {"Ġthe", 1}, 299: {"<|unused_299|>", 5},
	} {
		if tokens[id] != want.piece || types[id] != want.kind {
			t.Errorf("token %d is %q of type %d, not %q of type %d", id, tokens[id], types[id], want.piece, want.kind)
		}
	}
	seen := map[string]bool{}
	for id, s := range tokens {
		if seen[s] {
			t.Errorf("token %d, %q, is there twice", id, s)
		}
		seen[s] = true
	}
}
