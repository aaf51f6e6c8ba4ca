package transformer_test

import (
	"fmt"

	"example.com/minillm/internal/simd"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/kvcache"
	"example.com/minillm/transformer"
)

// A greedy generation: the prompt in one pass, then a token a step.
func Example() {
	m, err := transformer.LoadBytes(tiny.GGUF(tiny.Config{}), transformer.Options{})
	if err != nil {
		panic(err)
	}
	defer m.Close()
	cache, err := kvcache.NewContiguous(m.Shape(), 1, m.Context(), kvcache.I16)
	if err != nil {
		panic(err)
	}
	kv, _, err := cache.Open(nil, "")
	if err != nil {
		panic(err)
	}
	defer kv.Close()

	next := []int32("Once") // the tiny model's ids of ASCII letters are the letters
	logits := make([]float32, m.VocabSize())
	for pos := 0; pos < 12; {
		if err := kv.Grow(pos + len(next)); err != nil {
			panic(err)
		}
		if err := m.Forward([]transformer.Chunk{{Tokens: next, Pos: pos, KV: kv, Logits: logits}}); err != nil {
			panic(err)
		}
		pos += len(next)
		next = []int32{int32(simd.Argmax(logits))}
		fmt.Print(tiny.Pieces()[next[0]])
	}
	// Output: @;onk<<<<(
}
