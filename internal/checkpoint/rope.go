package checkpoint

import (
	"encoding/binary"
	"math"
	"strings"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
)

// Layers of these types see everything, or a window.
const (
	globalLayer = "full_attention"
	localLayer  = "sliding_attention"
)

// scaling is how the positions of RoPE are stretched. Younger files have rope_parameters with the base among them, older
// ones rope_scaling with a base beside it; those of gemma have one for each type of layer.
func (c *config) scaling(layer string) object {
	field := "rope_scaling"
	if c.has("rope_parameters") {
		field = "rope_parameters"
	}
	o := c.object.object(field)
	if o.has(layer) {
		return o.object(layer)
	}
	return o
}

// scalingType is "" for none.
func scalingType(o object) string {
	field := "rope_type"
	if !o.has(field) {
		field = "type"
	}
	switch t := o.text(field); t {
	case "", "default":
		return ""
	case "linear", "llama3":
		return t
	default:
		o.fail(field, "RoPE scaling %q is not supported; known are default, linear and llama3", t)
		return ""
	}
}

// rope are GGUF's words for RoPE, but for llama3's scaling, which is a tensor.
func (c *config) rope() []gguf.KV {
	key := func(s string) string { return c.arch + ".rope." + s }
	kv := []gguf.KV{{Key: key("freq_base"), Value: float32(c.ropeBase())}}
	if c.arch == "llama" {
		kv = append(kv, gguf.KV{Key: key("halves"), Value: true})
	}
	global := c.scaling(globalLayer)
	if scalingType(global) == "linear" {
		global.need("factor")
		kv = append(kv, gguf.KV{Key: key("scaling.type"), Value: "linear"},
			gguf.KV{Key: key("scaling.factor"), Value: float32(global.number("factor"))})
	}
	if c.arch == "gemma3" {
		kv = append(kv, gguf.KV{Key: key("freq_base_swa"), Value: float32(c.localBase())})
	}
	return kv
}

func (c *config) ropeBase() float64 {
	o := c.scaling(globalLayer)
	switch {
	case o.has("rope_theta"):
		return o.number("rope_theta")
	case c.has("rope_theta"):
		return c.number("rope_theta")
	}
	return c.base
}

// localBase is the base of layers that see a window.
func (c *config) localBase() float64 {
	const field = "rope_local_base_freq"
	nested := c.object.object("rope_parameters").object(localLayer)
	switch {
	case scalingType(nested) != "":
		nested.fail("rope_type", "scaling of windowed layers is not supported")
	case nested.has("rope_theta"):
		return nested.number("rope_theta")
	case c.has(field):
		return c.number(field)
	}
	return 1e4
}

// ropeFactors is the tensor of what llama3's scaling divides each frequency by: nothing for waves that are short against
// the first context, factor for those that are long, and a way between for others.
func (c *config) ropeFactors() (t gguf.Tensor, ok bool) {
	o := c.scaling(globalLayer)
	if scalingType(o) != "llama3" {
		return t, false
	}
	o.need("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
	factor, low, high := o.number("factor"), o.number("low_freq_factor"), o.number("high_freq_factor")
	context, size := o.number("original_max_position_embeddings"), c.headSize()
	if factor <= 0 || low <= 0 || high <= low || context <= 0 {
		o.fail("factor", "%v with bounds of %v and %v and a first context of %v makes no sense", factor, low, high, context)
	}
	if size > 1<<12 {
		c.fail("head_dim", "%d is too large", size)
	}
	if c.err() != nil {
		return t, false
	}
	var data []byte
	for i := range size / 2 {
		wave := 2 * math.Pi * math.Pow(c.ropeBase(), float64(2*i)/float64(size))
		smooth := min(max((context/wave-low)/(high-low), 0), 1)
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(1/((1-smooth)/factor+smooth))))
	}
	return gguf.Tensor{Name: "rope_freqs.weight", Type: quant.F32, Shape: []int{size / 2}, Data: data}, true
}

// window are GGUF's words for layers that see a window only.
func (c *config) window() (kv []gguf.KV) {
	layers, size := c.layerTypes(), c.count("sliding_window")
	const field = "use_sliding_window" // without which Qwen's networks have none
	if c.has(field) && !c.flag(field) || !c.has(field) && strings.HasPrefix(c.arch, "qwen") {
		size = 0
	}
	key := c.arch + ".attention.sliding_window"
	switch {
	case c.arch == "gemma3":
		c.need("sliding_window")
		kv = append(kv, gguf.KV{Key: key + "_pattern", Value: uint32(c.pattern(layers))})
	case size == 0:
		c.pattern(layers) // wants all layers to be global
		return nil
	case c.arch != "llama":
		c.fail(field, "true is not supported for %s", c.arch)
	}
	return append(kv, gguf.KV{Key: key, Value: uint32(size)})
}

func (c *config) layerTypes() (types []string) {
	c.get("layer_types", &types)
	return types
}

// pattern is how many layers there are to one that sees everything, which is the last of them; for networks without
// windows it is 1.
func (c *config) pattern(layers []string) int {
	n := 1
	if c.arch == "gemma3" {
		n = 6
		for _, field := range []string{"sliding_window_pattern", "_sliding_window_pattern"} {
			if c.has(field) {
				n = c.count(field)
			}
		}
	}
	for i, t := range layers {
		if global := i%max(n, 1) == n-1; t != globalLayer && t != localLayer || global != (t == globalLayer) {
			c.fail("layer_types", "layer %d is of type %q, where one of %d sees everything", i, t, n)
			break
		}
	}
	return n
}
