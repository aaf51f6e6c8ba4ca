// Package tiny makes small random models as GGUF files in memory: for tests and examples that need a whole model
// and none in particular. They know nothing, but everything works on them: their greedy text varies with every
// token before it, their tokenizer encodes any text, their chat template is ChatML.
package tiny

import (
	"bytes"
	"fmt"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
)

// Config is the shape of a model. The zero value is a llama of 2 layers in float32; each zero field stands for the
// default beside it.
type Config struct {
	Arch    string // "llama"; or "qwen2" (biases), "qwen3" (norms of q and k), "gemma3" (those, norms after, windows)
	Seed    uint64 // models of other seeds have other weights
	Layers  int    // 2; 6 for gemma3, of which the last sees all positions and the others a window
	Dim     int    // 64
	Heads   int    // 4
	KVHeads int    // 2
	HeadDim int    // Dim/Heads; twice that for qwen3 and gemma3
	FFN     int    // 128
	Context int    // 512
	Window  int    // 64, of the layers of gemma3 that have one
	Vocab   int    // what the pieces take (see Pieces); more adds unused ones

	// Type is the number format of all matrices, F32 by default. Dim, FFN and Heads*HeadDim must be whole blocks:
	// multiples of 256 for the K formats. Norms and biases are always F32.
	Type quant.Type
	Tied bool // the embeddings are the output matrix too; otherwise it has its own
}

// GGUF returns the bytes of a model file, always the same for the same Config. It panics where the
// Config makes no sense.
func GGUF(c Config) []byte {
	c = c.withDefaults()
	var file bytes.Buffer
	if err := gguf.Write(&file, append(c.hyperparameters(), c.vocabulary()...), c.tensors()); err != nil {
		panic(fmt.Sprintf("tiny: %v", err))
	}
	return file.Bytes()
}

func (c Config) withDefaults() Config {
	set := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	if c.Arch == "" {
		c.Arch = "llama"
	}
	if c.Arch == "gemma3" {
		set(&c.Layers, 6)
	}
	set(&c.Layers, 2)
	set(&c.Dim, 64)
	set(&c.Heads, 4)
	set(&c.KVHeads, 2)
	if c.headNorms() {
		set(&c.HeadDim, 2*c.Dim/c.Heads)
	}
	set(&c.HeadDim, c.Dim/c.Heads)
	set(&c.FFN, 128)
	set(&c.Context, 512)
	set(&c.Window, 64)
	set(&c.Vocab, len(Pieces()))
	c.check()
	return c
}

func (c Config) check() {
	switch c.Arch {
	case "llama", "qwen2", "qwen3", "gemma3":
	default:
		panic(fmt.Sprintf("tiny: no architecture %q", c.Arch))
	}
	if c.Heads%c.KVHeads != 0 || c.HeadDim%2 != 0 || c.Vocab < len(Pieces()) {
		panic(fmt.Sprintf("tiny: no model has the shape %+v", c))
	}
}

// headNorms reports whether queries and keys are normed head by head.
func (c Config) headNorms() bool { return c.Arch == "qwen3" || c.Arch == "gemma3" }

// hyperparameters are the metadata that say how to compute.
func (c Config) hyperparameters() []gguf.KV {
	n := func(x int) uint32 { return uint32(x) }
	kv := []gguf.KV{
		{Key: "general.architecture", Value: c.Arch},
		{Key: "general.type", Value: "model"},
		{Key: "general.name", Value: "Tiny " + c.Arch},
		{Key: "general.quantization_version", Value: n(2)},
		{Key: c.Arch + ".vocab_size", Value: n(c.Vocab)},
		{Key: c.Arch + ".context_length", Value: n(c.Context)},
		{Key: c.Arch + ".embedding_length", Value: n(c.Dim)},
		{Key: c.Arch + ".block_count", Value: n(c.Layers)},
		{Key: c.Arch + ".feed_forward_length", Value: n(c.FFN)},
		{Key: c.Arch + ".attention.head_count", Value: n(c.Heads)},
		{Key: c.Arch + ".attention.head_count_kv", Value: n(c.KVHeads)},
		{Key: c.Arch + ".attention.key_length", Value: n(c.HeadDim)},
		{Key: c.Arch + ".attention.value_length", Value: n(c.HeadDim)},
		{Key: c.Arch + ".attention.layer_norm_rms_epsilon", Value: float32(1e-6)},
		{Key: c.Arch + ".rope.dimension_count", Value: n(c.HeadDim)},
		{Key: c.Arch + ".rope.freq_base", Value: float32(10000)},
	}
	if c.Arch == "gemma3" {
		kv[len(kv)-1].Value = float32(1e6) // of the layers that see everything
		kv = append(kv, gguf.KV{Key: "gemma3.attention.sliding_window", Value: n(c.Window)})
	}
	return kv
}
