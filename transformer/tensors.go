package transformer

import (
	"fmt"
	"slices"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
)

// The names of tensors outside the blocks.
const (
	embedName  = "token_embd.weight"
	outputName = "output.weight"
	normName   = "output_norm.weight"
	freqsName  = "rope_freqs.weight"
)

// tensors hands out the tensors of a file: it checks that each is there in the
// right shape, remembers what has to be made of it, and in the end that none
// was left over. Nothing is allocated for weights until all of that is done.
type tensors struct {
	file    *gguf.File
	taken   map[string]bool
	vectors []vector
	linears []*linear
	err     error
}

// vector is a norm or a bias that is to be decoded.
type vector struct {
	dst *[]float32
	src gguf.Tensor
}

func (t *tensors) fail(name, format string, args ...any) {
	if t.err == nil {
		t.err = &gguf.FormatError{Path: t.file.Path(), Where: name, What: fmt.Sprintf(format, args...)}
	}
}

// find returns the tensor of a name if it is there, and checks its shape.
func (t *tensors) find(name string, n need, shape ...int) (gguf.Tensor, bool) {
	found, ok := t.file.Tensor(name)
	switch {
	case !ok && n == always:
		t.fail(name, "missing")
	case !ok || n == never:
		return gguf.Tensor{}, false
	case !slices.Equal(trim(found.Shape), trim(shape)):
		t.fail(name, "its shape is %v, not %v", found.Shape, shape)
	case !found.Type.Known():
		t.fail(name, "number format %v is not supported", found.Type)
	}
	t.taken[name] = true
	return found, ok
}

// trim drops trailing dimensions of one, which writers of files may add.
func trim(shape []int) []int {
	for len(shape) > 1 && shape[len(shape)-1] == 1 {
		shape = shape[:len(shape)-1]
	}
	return shape
}

func (t *tensors) vector(dst *[]float32, name string, n need, length int) {
	if src, ok := t.find(name, n, length); ok {
		t.vectors = append(t.vectors, vector{dst, src})
	}
}

// matrix is a weight with a row for each of out results.
func (t *tensors) matrix(dst *linear, name string, in, out int) {
	if src, ok := t.find(name, always, in, out); ok {
		t.linear(dst, src, in, out)
	}
}

func (t *tensors) linear(dst *linear, src gguf.Tensor, in, out int) {
	*dst = linear{in: in, out: out, src: src}
	t.linears = append(t.linears, dst)
}

// leftOver fails if the file has a tensor that nobody took: a network with
// weights that are not used is not the one that was trained.
func (t *tensors) leftOver() {
	for _, each := range t.file.Tensors {
		if !t.taken[each.Name] {
			t.fail(each.Name, "a tensor that this architecture does not have")
		}
	}
}

// decode makes float32 numbers of the vectors.
func (t *tensors) decode() {
	for _, v := range t.vectors {
		*v.dst = make([]float32, v.src.Shape[0])
		quant.Dequantize(*v.dst, v.src.Type, v.src.Data)
	}
}

// layer is the weights of one block.
type layer struct {
	attnNorm, ffnNorm   []float32 // [dim]
	qBias, kBias, vBias []float32 // nil, or the lengths of q, k and v
	outBias             []float32 // nil, or [dim]
	qNorm, kNorm        []float32 // nil, or [headDim]
	qFactors, kFactors  []float32 // nil, or the lengths of q and k: see smooth
	postAttn, postFFN   []float32 // nil, or [dim]

	q, k, v, out   linear // [heads*headDim][dim], [kvHeads*headDim][dim] twice, [dim][heads*headDim]
	gate, up, down linear // [ffn][dim] twice, [dim][ffn]

	reach int // global, or local: which RoPE and which plan of attention
}

// collect finds and checks every tensor that the network has.
func (m *Model) collect(t *tensors) error {
	c := &m.config
	m.embedding, _ = t.find(embedName, always, c.dim, c.vocab)
	t.vector(&m.outputNorm, normName, always, c.dim)
	output, ok := t.find(outputName, maybe, c.dim, c.vocab)
	if !ok {
		output = m.embedding // tied
	}
	t.linear(&m.output, output, c.dim, c.vocab)
	t.vector(&m.freqs, freqsName, maybe, c.headDim/2)
	for i := range m.layers {
		m.layers[i].collect(t, c, fmt.Sprintf("blk.%d.", i))
	}
	t.leftOver()
	return t.err
}

func (l *layer) collect(t *tensors, c *config, prefix string) {
	vector := func(dst *[]float32, name string, n need, length int) { t.vector(dst, prefix+name, n, length) }
	matrix := func(dst *linear, name string, in, out int) { t.matrix(dst, prefix+name+".weight", in, out) }
	q, kv := c.queries(), c.keys()

	vector(&l.attnNorm, "attn_norm.weight", always, c.dim)
	matrix(&l.q, "attn_q", c.dim, q)
	matrix(&l.k, "attn_k", c.dim, kv)
	matrix(&l.v, "attn_v", c.dim, kv)
	vector(&l.qBias, "attn_q.bias", c.biases, q)
	vector(&l.kBias, "attn_k.bias", c.biases, kv)
	vector(&l.vBias, "attn_v.bias", c.biases, kv)
	vector(&l.qNorm, "attn_q_norm.weight", when(c.headNorms), c.headDim)
	vector(&l.kNorm, "attn_k_norm.weight", when(c.headNorms), c.headDim)
	matrix(&l.out, "attn_output", q, c.dim)
	vector(&l.outBias, "attn_output.bias", min(c.biases, maybe), c.dim)
	vector(&l.postAttn, "post_attention_norm.weight", when(c.sandwich), c.dim)

	vector(&l.ffnNorm, "ffn_norm.weight", always, c.dim)
	matrix(&l.gate, "ffn_gate", c.dim, c.ffn)
	matrix(&l.up, "ffn_up", c.dim, c.ffn)
	matrix(&l.down, "ffn_down", c.ffn, c.dim)
	vector(&l.postFFN, "post_ffw_norm.weight", when(c.sandwich), c.dim)
	l.q.order, l.k.order = c.order(), c.order()
}

func when(has bool) need {
	if has {
		return always
	}
	return never
}
