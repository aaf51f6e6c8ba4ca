package tiny

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
)

// tensors are all weights, in the names and shapes that llama.cpp gives them. Matrices have a deviation of
// 1/sqrt(row), which keeps the size of what they multiply.
func (c Config) tensors() []gguf.Tensor {
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	all := []gguf.Tensor{c.vocabularyMatrix("token_embd.weight")}
	if !c.Tied {
		all = append(all, c.vocabularyMatrix("output.weight"))
	}
	// Logits get a deviation of about four, so that some tokens are much likelier than others; of either sign, or
	// tied embeddings would make the last token the likeliest.
	all = append(all, c.vector("output_norm.weight", c.Dim, 0, 4))
	for i := range c.Layers {
		name := func(s string) string { return fmt.Sprintf("blk.%d.%s", i, s) }
		all = append(all,
			c.vector(name("attn_norm.weight"), c.Dim, 1, 0.1),
			c.scaled(name("attn_q.weight"), c.Dim, q, 3), // so that attention looks at some positions more than at others
			c.matrix(name("attn_k.weight"), c.Dim, kv),
			c.matrix(name("attn_v.weight"), c.Dim, kv),
			c.matrix(name("attn_output.weight"), q, c.Dim),
			c.vector(name("ffn_norm.weight"), c.Dim, 1, 0.1),
			c.matrix(name("ffn_gate.weight"), c.Dim, c.FFN),
			c.matrix(name("ffn_up.weight"), c.Dim, c.FFN),
			c.matrix(name("ffn_down.weight"), c.FFN, c.Dim),
		)
		all = append(all, c.extras(name, q, kv)...)
	}
	return all
}

// extras are the weights of a layer that a plain llama has not.
func (c Config) extras(name func(string) string, q, kv int) (all []gguf.Tensor) {
	if c.Arch == "qwen2" {
		all = append(all,
			c.vector(name("attn_q.bias"), q, 0, 0.5),
			c.vector(name("attn_k.bias"), kv, 0, 0.5),
			c.vector(name("attn_v.bias"), kv, 0, 0.1))
	}
	if c.headNorms() {
		all = append(all,
			c.vector(name("attn_q_norm.weight"), c.HeadDim, 3, 0.3),
			c.vector(name("attn_k_norm.weight"), c.HeadDim, 1, 0.1))
	}
	if c.Arch == "gemma3" { // above one, or the scaled embedding of the last token would outweigh all else
		all = append(all,
			c.vector(name("post_attention_norm.weight"), c.Dim, 2, 0.2),
			c.vector(name("post_ffw_norm.weight"), c.Dim, 2, 0.2))
	}
	return all
}

// matrix has rows of n values; GGUF names the length of a row first.
func (c Config) matrix(name string, n, rows int) gguf.Tensor {
	return c.scaled(name, n, rows, 1)
}

func (c Config) scaled(name string, n, rows int, scale float64) gguf.Tensor {
	return c.tensor(name, c.Type, []int{n, rows}, c.normal(name, n*rows, 0, scale/math.Sqrt(float64(n))))
}

// vector has values of this mean and deviation.
func (c Config) vector(name string, n int, mean, deviation float64) gguf.Tensor {
	return c.tensor(name, quant.F32, []int{n}, c.normal(name, n, mean, deviation))
}

// vocabularyMatrix has a row for each token. The rows of tokens that are no printable text are short, so that
// greedy text is readable and does not end by chance.
func (c Config) vocabularyMatrix(name string) gguf.Tensor {
	w := c.normal(name, c.Dim*c.Vocab, 0, 1/math.Sqrt(float64(c.Dim)))
	for id := range c.Vocab {
		if printable(id) {
			continue
		}
		for i := range w[id*c.Dim:][:c.Dim] {
			w[id*c.Dim+i] *= 0.1
		}
	}
	return c.tensor(name, c.Type, []int{c.Dim, c.Vocab}, w)
}

func (c Config) tensor(name string, t quant.Type, shape []int, values []float32) gguf.Tensor {
	data := make([]byte, t.RowBytes(shape[0])*(len(values)/shape[0]))
	quant.Quantize(data, t, values)
	return gguf.Tensor{Name: name, Type: t, Shape: shape, Data: data}
}

// normal draws from a source of the tensor's own, so that what else is in the model makes no difference.
func (c Config) normal(name string, n int, mean, deviation float64) []float32 {
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(c.Seed, h.Sum64()))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(mean + float64(deviation*r.NormFloat64()))
	}
	return x
}
