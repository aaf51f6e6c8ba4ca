package checkpoint

import (
	"cmp"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"example.com/minillm/internal/gguf"
)

// config is config.json, of a network that is known.
type config struct {
	object
	network
	vocab int
}

// network is what one class of models is in GGUF, and the values that its configuration may leave out.
type network struct {
	arch    string
	field   string  // of the activation
	act     string  // its one value
	headDim int     // 0: the width divided by the heads
	base    float64 // of RoPE
	tied    bool    // the embeddings are the output matrix too
	names   map[string]string
}

var networks = map[string]network{
	"LlamaForCausalLM":   {arch: "llama", field: "hidden_act", act: "silu", base: 1e4},
	"MistralForCausalLM": {arch: "llama", field: "hidden_act", act: "silu", base: 1e4},
	"Qwen2ForCausalLM":   {arch: "qwen2", field: "hidden_act", act: "silu", base: 1e4},
	"Qwen3ForCausalLM":   {arch: "qwen3", field: "hidden_act", act: "silu", base: 1e4, headDim: 128},
	"Gemma3ForCausalLM": {arch: "gemma3", field: "hidden_activation", act: "gelu_pytorch_tanh", base: 1e6, headDim: 256,
		tied: true, names: gemmaNames},
}

func readConfig(dir string) (*config, error) {
	o, found := readObject(dir, configName, mostSettings)
	if !found {
		return nil, &gguf.FormatError{Kind: kind, Path: dir, What: "there is no " + configName + ": neither a GGUF file nor the folder of a model"}
	}
	return newConfig(o)
}

func newConfig(o object) (*config, error) {
	c := &config{object: o}
	c.readClass()
	c.vocab = c.count("vocab_size")
	c.need("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "max_position_embeddings",
		"rms_norm_eps", "vocab_size")
	c.refuse()
	return c, c.err()
}

// readClass finds the network.
func (c *config) readClass() {
	var classes []string
	c.get("architectures", &classes)
	if c.err() != nil {
		return
	}
	if len(classes) == 1 {
		c.network = networks[classes[0]]
	}
	if c.arch == "" {
		known := strings.Join(slices.Sorted(maps.Keys(networks)), ", ")
		c.fail("architectures", "%q is not supported; known are %s", classes, known)
	}
}

// refuse fails for what would change results in a way that is not computed here.
func (c *config) refuse() {
	if c.has("quantization_config") {
		c.fail("quantization_config", "quantised checkpoints are not supported: take one in F32, F16 or BF16, or a GGUF file")
	}
	if act := c.text(c.field); act != "" && act != c.act {
		c.fail(c.field, "%q is not supported for %s, only %s is", act, c.arch, c.act)
	}
	for _, field := range []string{"attn_logit_softcapping", "final_logit_softcapping"} {
		if c.number(field) != 0 {
			c.fail(field, "%v is not supported", c.number(field))
		}
	}
	for _, field := range []string{"mlp_bias", "use_bidirectional_attention"} {
		if c.flag(field) {
			c.fail(field, "true is not supported")
		}
	}
	if f := c.number("partial_rotary_factor"); c.has("partial_rotary_factor") && f != 1 {
		c.fail("partial_rotary_factor", "%v is not supported", f)
	}
}

// name is what the model is called.
func (c *config) name(dir string) gguf.KV {
	if path, err := filepath.Abs(dir); err == nil {
		dir = path
	}
	return gguf.KV{Key: "general.name", Value: filepath.Base(dir)}
}

// metadata are GGUF's words for the network.
func (c *config) metadata() []gguf.KV {
	heads := c.count("num_attention_heads")
	kv := []gguf.KV{{Key: "general.architecture", Value: c.arch}}
	add := func(key string, value any) { kv = append(kv, gguf.KV{Key: c.arch + "." + key, Value: value}) }
	add("vocab_size", uint32(c.vocab))
	add("context_length", uint32(c.count("max_position_embeddings")))
	add("embedding_length", uint32(c.count("hidden_size")))
	add("feed_forward_length", uint32(c.count("intermediate_size")))
	add("block_count", uint32(c.count("num_hidden_layers")))
	add("attention.head_count", uint32(heads))
	add("attention.head_count_kv", uint32(cmp.Or(c.count("num_key_value_heads"), heads)))
	add("attention.layer_norm_rms_epsilon", float32(c.number("rms_norm_eps")))
	add("attention.key_length", uint32(c.headSize()))
	if x := c.number("query_pre_attn_scalar"); c.arch == "gemma3" && x > 0 {
		add("attention.scale", float32(1/math.Sqrt(x)))
	}
	return append(append(kv, c.rope()...), c.window()...)
}

func (c *config) headSize() int {
	return cmp.Or(c.count("head_dim"), c.headDim, c.count("hidden_size")/max(1, c.count("num_attention_heads")))
}
