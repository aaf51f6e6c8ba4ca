package tiny_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/minillm/internal/tiny"
	"example.com/minillm/kvcache"
	"example.com/minillm/sampling"
	"example.com/minillm/transformer"
)

// TestGreedy wants text that is worth comparing in tests: of many different tokens, all printable, and another one
// where a token far back is another.
func TestGreedy(t *testing.T) {
	for _, arch := range []string{"llama", "qwen2", "qwen3", "gemma3"} {
		for _, tied := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/tied=%v", arch, tied), func(t *testing.T) {
				m, err := transformer.LoadBytes(tiny.GGUF(tiny.Config{Arch: arch, Tied: tied}), transformer.Options{Threads: 1})
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				a, b := greedy(t, m, "the rain in spain"), greedy(t, m, "she rain in spain")
				if n := distinct(a); n < 15 {
					t.Errorf("%d different tokens in %q", n, text(a))
				}
				if slices.Equal(a, b) {
					t.Error("the first token of the prompt makes no difference")
				}
				for _, id := range a {
					if s := tiny.Pieces()[id]; s < " " || s > "~~" {
						t.Errorf("the text %q has token %d", text(a), id)
					}
				}
				t.Logf("%q", text(a))
			})
		}
	}
}

// greedy is the 48 likeliest tokens after a prompt, byte by byte.
func greedy(t *testing.T, m *transformer.Model, prompt string) (out []int32) {
	t.Helper()
	cache, err := kvcache.NewContiguous(m.Shape(), 1, 128, kvcache.F32)
	if err != nil {
		t.Fatal(err)
	}
	region, _, err := cache.Open(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer region.Close()
	if err := region.Grow(128); err != nil {
		t.Fatal(err)
	}
	var next []int32
	for _, b := range []byte(prompt) {
		next = append(next, int32(b))
	}
	logits := make([]float32, m.VocabSize())
	for pos := 0; len(out) < 48; {
		if err := m.Forward([]transformer.Chunk{{Tokens: next, Pos: pos, KV: region, Logits: logits}}); err != nil {
			t.Fatal(err)
		}
		pos += len(next)
		id, err := sampling.Argmax(logits)
		if err != nil {
			t.Fatal(err)
		}
		next = []int32{id}
		out = append(out, id)
	}
	return out
}

func distinct(ids []int32) int {
	seen := map[int32]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	return len(seen)
}

func text(ids []int32) (s string) {
	for _, id := range ids {
		s += tiny.Pieces()[id]
	}
	return s
}
