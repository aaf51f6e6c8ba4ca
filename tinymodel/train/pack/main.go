// Command pack makes a model file of a vocabulary, which command corpus wrote, and of weights, which train.py wrote.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/safetensors"
	"example.com/minillm/tinymodel/train/text"
	"example.com/minillm/tokenizer"
)

// The sizes that the tensors don't tell. They are those of train.py.
const (
	context = 1024
	headDim = 32
	epsilon = 1e-5
	base    = 10000
)

func main() {
	vocabulary := flag.String("vocab", "", "vocabulary, as command corpus writes it")
	weights := flag.String("weights", "", "weights, as train.py writes them")
	out := flag.String("out", "", "model file to write")
	flag.Parse()
	if err := pack(*vocabulary, *weights, *out); err != nil {
		log.Fatal(err)
	}
}

func pack(vocabulary, weights, out string) error {
	v, err := tokenizer.Load(vocabulary)
	if err != nil {
		return err
	}
	bpe, ok := v.(*tokenizer.BPE)
	if !ok {
		return fmt.Errorf("%s: not a vocabulary of command corpus", vocabulary)
	}
	w, err := safetensors.Open(weights)
	if err != nil {
		return err
	}
	defer w.Close()
	tensors, shapes := convert(w)
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := gguf.Write(f, append(hyperparameters(shapes), bpe.Metadata()...), tensors); err != nil {
		return err
	}
	return f.Close()
}

// convert gives matrices 8 bits for a weight and leaves vectors as they are. The names are those of GGUF already.
func convert(w *safetensors.File) (all []gguf.Tensor, shapes map[string][]int) {
	shapes = map[string][]int{}
	for _, t := range w.Tensors {
		g := gguf.Tensor{Name: t.Name, Type: quant.F32, Data: t.Data}
		for i := range t.Shape {
			g.Shape = append(g.Shape, t.Shape[len(t.Shape)-1-i]) // the length of a row first
		}
		if len(g.Shape) == 2 {
			values := make([]float32, g.Shape[0]*g.Shape[1])
			quant.Dequantize(values, quant.F32, t.Data)
			g.Type = quant.Q8_0
			g.Data = make([]byte, g.Shape[1]*g.Type.RowBytes(g.Shape[0]))
			quant.Quantize(g.Data, g.Type, values)
		}
		all, shapes[g.Name] = append(all, g), g.Shape
	}
	return all, shapes
}

// hyperparameters are what a file of the llama architecture says about its network, and how to chat with it.
func hyperparameters(shapes map[string][]int) []gguf.KV {
	layers := 0
	for shapes[fmt.Sprintf("blk.%d.attn_q.weight", layers)] != nil {
		layers++
	}
	n := func(x int) uint32 { return uint32(x) }
	heads := func(name string) uint32 { return n(shapes["blk.0."+name+".weight"][1] / headDim) }
	embedding := shapes["token_embd.weight"]
	return []gguf.KV{
		{Key: "general.architecture", Value: "llama"},
		{Key: "general.type", Value: "model"},
		{Key: "general.name", Value: "Tiny"},
		{Key: "general.license", Value: "apache-2.0"},
		{Key: "general.languages", Value: []string{"en"}},
		{Key: "general.description", Value: description},
		{Key: "general.file_type", Value: n(7)}, // mostly Q8_0
		{Key: "general.quantization_version", Value: n(2)},
		{Key: "llama.vocab_size", Value: n(embedding[1])},
		{Key: "llama.context_length", Value: n(context)},
		{Key: "llama.embedding_length", Value: n(embedding[0])},
		{Key: "llama.block_count", Value: n(layers)},
		{Key: "llama.feed_forward_length", Value: n(shapes["blk.0.ffn_gate.weight"][1])},
		{Key: "llama.attention.head_count", Value: heads("attn_q")},
		{Key: "llama.attention.head_count_kv", Value: heads("attn_k")},
		{Key: "llama.attention.key_length", Value: n(headDim)},
		{Key: "llama.attention.value_length", Value: n(headDim)},
		{Key: "llama.attention.layer_norm_rms_epsilon", Value: float32(epsilon)},
		{Key: "llama.rope.dimension_count", Value: n(headDim)},
		{Key: "llama.rope.freq_base", Value: float32(base)},
		{Key: "tokenizer.chat_template", Value: text.Template},
		{Key: "tokenizer.ggml.bos_token_id", Value: uint32(text.EndOfText)},
		{Key: "tokenizer.ggml.eos_token_id", Value: uint32(text.EndTurn)},
	}
}

const description = "A very small model that tells short stories and answers easy questions, embedded in minillm."
