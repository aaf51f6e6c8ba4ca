package checkpoint

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/safetensors"
)

// weights are the tensors of a checkpoint, under its names.
type weights struct {
	*safetensors.File
	path string
}

func (w *weights) errorf(name, format string, args ...any) error {
	return &gguf.FormatError{Kind: kind, Path: w.path, Where: "tensor " + name, What: fmt.Sprintf(format, args...)}
}

// The names of tensors that GGUF has for those of a checkpoint, within layers and outside of them.
var (
	names = map[string]string{
		"embed_tokens": "token_embd", "norm": "output_norm",
		"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
		"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
		"self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
		"mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
	}
	gemmaNames = map[string]string{
		"post_attention_layernorm":  "post_attention_norm",
		"pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm",
	}
)

// tensors are all of w under GGUF's names.
func (c *config) tensors(w *weights) (all []gguf.Tensor, err error) {
	const embedName = "model.embed_tokens.weight"
	if t, ok := w.Tensor(embedName); !ok || len(t.Shape) != 2 || t.Shape[0] != c.vocab {
		return nil, w.errorf(embedName, "missing, or not a matrix of the %d rows that %s tells", c.vocab, configName)
	}
	tied, err := c.isTied(w)
	if err != nil {
		return nil, err
	}
	for _, t := range w.Tensors {
		if strings.HasSuffix(t.Name, ".rotary_emb.inv_freq") || tied && t.Name == headName {
			continue // old files have what follows from the configuration; others what is there already
		}
		g, err := c.tensor(w, t)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	if f, ok := c.ropeFactors(); ok {
		all = append(all, f)
	}
	return all, c.err()
}

const (
	headName   = "lm_head.weight"
	mostVector = 1 << 20 // values of one, which may be copied
)

// isTied reports whether the embeddings are the output matrix too.
func (c *config) isTied(w *weights) (bool, error) {
	const field = "tie_word_embeddings"
	tied := c.tied
	if c.has(field) {
		tied = c.flag(field)
	}
	_, has := w.Tensor(headName)
	if c.has(field) && !tied && !has {
		return false, w.errorf(headName, "missing, though %s of %s is false", field, configName)
	}
	return tied || !has, c.err()
}

func (c *config) tensor(w *weights, t safetensors.Tensor) (gguf.Tensor, error) {
	name, ok := c.rename(t.Name)
	typ, known := t.Type()
	switch {
	case !ok:
		return gguf.Tensor{}, w.errorf(t.Name, "%s has no such tensor", c.arch)
	case !known:
		return gguf.Tensor{}, w.errorf(t.Name, "number format %s is not supported, only F32, F16 and BF16 are", t.DType)
	case len(t.Shape) < 1 || len(t.Shape) > 2 || slices.Contains(t.Shape, 0):
		return gguf.Tensor{}, w.errorf(t.Name, "a shape of %v is not that of a vector or a matrix", t.Shape)
	}
	if len(t.Shape) == 1 && t.Shape[0] > mostVector {
		return gguf.Tensor{}, w.errorf(t.Name, "a vector of %d values, more than %d", t.Shape[0], mostVector)
	}
	g := gguf.Tensor{Name: name, Type: typ, Shape: slices.Clone(t.Shape), Data: t.Data}
	slices.Reverse(g.Shape)
	if c.arch == "gemma3" && len(g.Shape) == 1 {
		g = plusOne(g)
	}
	return g, nil
}

// rename is the name in GGUF.
func (c *config) rename(name string) (string, bool) {
	if name == headName {
		return "output.weight", true
	}
	inner, ok := strings.CutPrefix(name, "model.")
	if !ok {
		return "", false
	}
	prefix := ""
	if in, ok := strings.CutPrefix(inner, "layers."); ok {
		number, rest, _ := strings.Cut(in, ".")
		i, err := strconv.Atoi(number)
		if err != nil || strconv.Itoa(i) != number {
			return "", false
		}
		prefix, inner = "blk."+number+".", rest
	}
	dot := strings.LastIndexByte(inner, '.')
	if dot < 0 {
		return "", false
	}
	base, end := inner[:dot], inner[dot:]
	renamed, ok := c.names[base]
	if !ok {
		renamed, ok = names[base]
	}
	return prefix + renamed + end, ok && (end == ".weight" || end == ".bias")
}

// plusOne is a norm of Gemma, which multiplies by one more than the checkpoint has.
func plusOne(t gguf.Tensor) gguf.Tensor {
	x := make([]float32, t.Shape[0])
	quant.Dequantize(x, t.Type, t.Data)
	t.Type, t.Data = quant.F32, make([]byte, 0, 4*len(x))
	for _, v := range x {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(v+1))
	}
	return t
}
