package tiny_test

import (
	"fmt"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/tiny"
)

func Example() {
	f, err := gguf.Parse(tiny.GGUF(tiny.Config{Arch: "qwen3", Layers: 1, Type: quant.Q8_0, Tied: true}))
	if err != nil {
		panic(err)
	}
	for _, t := range f.Tensors[:5] {
		fmt.Println(t.Name, t.Type, t.Shape)
	}
	// Output:
	// token_embd.weight Q8_0 [64 267]
	// output_norm.weight F32 [64]
	// blk.0.attn_norm.weight F32 [64]
	// blk.0.attn_q.weight Q8_0 [64 128]
	// blk.0.attn_k.weight Q8_0 [64 64]
}
