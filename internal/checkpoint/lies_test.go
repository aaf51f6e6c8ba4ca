package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/minillm/internal/checkpoint"
	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/safetensors"
	"example.com/minillm/internal/tiny"
)

// TestLies has a row for each way in which a folder can be wrong: what is changed, and what the error has to say.
func TestLies(t *testing.T) {
	for _, lie := range []struct {
		name string
		arch string
		tell func(*folder)
		want string // "file: field: what", of which the beginning of each is enough
	}{
		{"no config", "", without("config.json"), "there is no config.json"},
		{"no vocabulary", "", without("tokenizer.json"), "there is no tokenizer.json"},
		{"no weights", "", func(f *folder) { f.shards = -1 }, "there is neither model.safetensors nor"},
		{"config cut off", "", file("config.json", `{"architectures": ["Llama`), "config.json: unexpected end"},
		{"config is a list", "", file("config.json", `[]`), "config.json: array, which it may not be"},
		{"vocabulary cut off", "", file("tokenizer.json", `{"model": {`), "tokenizer.json: unexpected end"},
		{"settings cut off", "", file("tokenizer_config.json", `{`), "tokenizer_config.json: unexpected end"},
		{"generation cut off", "", file("generation_config.json", `{`), "generation_config.json: unexpected end"},

		{"class", "", config("architectures", []string{"MambaForCausalLM"}), `config.json: architectures: ["MambaForCausalLM"] is not supported; known are Gemma3ForCausalLM`},
		{"two classes", "", config("architectures", []string{"LlamaForCausalLM", "LlamaForCausalLM"}), "config.json: architectures: "},
		{"mistyped class", "", config("architectures", 1), "config.json: architectures: number"},
		{"missing size", "", config("hidden_size", nil), "config.json: hidden_size: missing"},
		{"negative size", "", config("hidden_size", -64), "config.json: hidden_size: -64 is not a whole number from 1"},
		{"half a layer", "", config("num_hidden_layers", 1.5), "config.json: num_hidden_layers: 1.5"},
		{"huge vocabulary", "", config("vocab_size", 1<<31-1), "model.embed_tokens.weight: missing, or not a matrix of the 2147483647 rows"},
		{"quantised", "", config("quantization_config", object{"quant_method": "awq"}), "config.json: quantization_config: "},
		{"activation", "", config("hidden_act", "relu"), `config.json: hidden_act: "relu"`},
		{"softcap", "gemma3", config("attn_logit_softcapping", 50.0), "config.json: attn_logit_softcapping: 50"},
		{"bias", "", config("mlp_bias", true), "config.json: mlp_bias: true"},
		{"partly rotated", "", config("partial_rotary_factor", 0.5), "config.json: partial_rotary_factor: 0.5"},
		{"scaling", "", config("rope_scaling", object{"rope_type": "yarn", "factor": 4}), `config.json: rope_scaling.rope_type: RoPE scaling "yarn"`},
		{"old scaling", "", config("rope_scaling", object{"type": "dynamic", "factor": 4}), `RoPE scaling "dynamic"`},
		{"no factor", "", config("rope_scaling", object{"type": "linear"}), "config.json: rope_scaling.factor: missing"},
		{"no bounds", "", config("rope_scaling", object{"rope_type": "llama3", "factor": 8}), "config.json: rope_scaling.low_freq_factor: missing"},
		{"absurd bounds", "", config("rope_scaling", object{"rope_type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 1, "original_max_position_embeddings": 64}), "config.json: rope_scaling.factor: 8 with bounds of 4 and 1"},
		{"local scaling", "gemma3", config("rope_parameters", object{"sliding_attention": object{"rope_type": "linear", "factor": 2}}), "config.json: rope_parameters.sliding_attention.rope_type: "},
		{"windows", "qwen2", windowed(64), "config.json: use_sliding_window: true is not supported for qwen2"},
		{"no window", "gemma3", config("sliding_window", nil), "config.json: sliding_window: missing"},
		{"pattern", "gemma3", config("layer_types", []string{"full_attention"}), "config.json: layer_types: layer 0"},
		{"layer", "", config("layer_types", []string{"full_attention", "linear_attention"}), `config.json: layer_types: layer 1 is of type "linear_attention"`},

		{"foreign tensor", "", tensor("model.layers.0.mlp.gate.weight", "F32", 1), "tensor model.layers.0.mlp.gate.weight: llama has no such tensor"},
		{"odd layer", "", tensor("model.layers.+1.mlp.up_proj.weight", "F32", 1), "tensor model.layers.+1.mlp.up_proj.weight: llama has no"},
		{"not a model's", "", tensor("vision.norm.weight", "F32", 1), "tensor vision.norm.weight: llama has no"},
		{"format", "", tensor("model.layers.0.input_layernorm.bias", "I32", 1), "tensor model.layers.0.input_layernorm.bias: number format I32"},
		{"a number", "", tensor("model.layers.0.input_layernorm.bias", "F32"), "tensor model.layers.0.input_layernorm.bias: a shape of []"},
		{"nothing", "", tensor("model.layers.0.input_layernorm.bias", "F32", 0), "a shape of [0]"},
		{"cube", "", tensor("model.layers.0.input_layernorm.bias", "F32", 1, 1, 1), "a shape of [1 1 1]"},
		{"no embeddings", "", func(f *folder) { f.weights = f.weights[1:] }, "tensor model.embed_tokens.weight: missing"},
		{"no head", "", func(f *folder) {
			f.weights = append(f.weights[:1:1], f.weights[2:]...)
		}, "tensor lm_head.weight: missing, though tie_word_embeddings of config.json is false"},

		{"unigram", "", inModel("type", "Unigram"), `tokenizer.json: model.type: "Unigram" is not supported`},
		{"no vocab", "", inModel("vocab", nil), "tokenizer.json: model.vocab: missing"},
		{"no merges", "", inModel("merges", nil), "tokenizer.json: model.merges: missing"},
		{"text as merges", "", inModel("merges", "a b"), "tokenizer.json: model.merges: string"},
		{"three of a pair", "", inModel("merges", [][]string{{"a", "b", "c"}}), `tokenizer.json: model.merges: number 0, ["a" "b" "c"], is no pair`},
		{"text as id", "", inModel("vocab", object{"a": "b"}), "tokenizer.json: model.vocab: string"},
		{"same id", "", inModel("vocab", object{"a": 1, "b": 1}), "have the same id 1"},
		{"high id", "", inModel("vocab", object{"a": 1 << 30}), `tokenizer.json: model.vocab: token "a" has id 1073741824`},
		{"prefix", "", inModel("continuing_subword_prefix", "##"), `tokenizer.json: model.continuing_subword_prefix: "##"`},
		{"fallback", "", inModel("byte_fallback", true), "tokenizer.json: model.byte_fallback: true"},
		{"whole words", "", inModel("ignore_merges", true), "tokenizer.json: pre_tokenizer: cutting by"},
		{"cut", "", inTokenizer("pre_tokenizer", object{"type": "Whitespace"}), `tokenizer.json: pre_tokenizer.type: pre-tokenizer "Whitespace"`},
		{"pattern of words", "", inTokenizer("pre_tokenizer", cut(`\w+`, "Isolated")), `tokenizer.json: pre_tokenizer: cutting by ["\\w+"]`},
		{"removing", "", inTokenizer("pre_tokenizer", cut(`\w+`, "Removed")), "tokenizer.json: pre_tokenizer.pretokenizers[0].behavior: "},
		{"prefix space", "", inTokenizer("pre_tokenizer", object{"type": "ByteLevel", "add_prefix_space": true}), "tokenizer.json: pre_tokenizer.add_prefix_space: true"},
		{"nothing cuts", "", inTokenizer("pre_tokenizer", nil), "tokenizer.json: pre_tokenizer: preparing text by"},
		{"lower case", "", inTokenizer("normalizer", object{"type": "Lowercase"}), `tokenizer.json: normalizer.type: "Lowercase"`},
		{"added without id", "", inTokenizer("added_tokens", []object{{"content": "x"}}), "tokenizer.json: added_tokens[0].id: missing"},
		{"added below", "", inTokenizer("added_tokens", []object{{"id": -1, "content": "x"}}), "tokenizer.json: added_tokens[0].id: -1"},
		{"added twice", "", inTokenizer("added_tokens", []object{{"id": 65, "content": "x"}}), `added_tokens[0].content: id 65 is "x"`},
		{"stop", "", file("generation_config.json", `{"eos_token_id": [1, 100000]}`), "generation_config.json: eos_token_id: id 100000, but there are"},
		{"negative stop", "", file("generation_config.json", `{"eos_token_id": -1}`), "generation_config.json: eos_token_id: id -1"},
		{"list as text", "", file("tokenizer_config.json", `{"chat_template": 1}`), "tokenizer_config.json: chat_template: number"},
	} {
		t.Run(lie.name, func(t *testing.T) {
			f, err := gguf.Parse(tiny.GGUF(tiny.Config{Arch: lie.arch, Layers: 1}))
			if err != nil {
				t.Fatal(err)
			}
			c := folderOf(f)
			lie.tell(c)
			_, err = checkpoint.Open(c.write(t))
			if _, ok := errors.AsType[*gguf.FormatError](err); !ok || !strings.Contains(err.Error(), lie.want) {
				t.Errorf("%v\nwant %s", err, lie.want)
			}
		})
	}
}

func without(name string) func(*folder) { return func(f *folder) { delete(f.files, name) } }

// windowed is Qwen's way to ask for windows.
func windowed(size int) func(*folder) {
	return func(f *folder) {
		config("sliding_window", size)(f)
		config("use_sliding_window", true)(f)
	}
}

func file(name, content string) func(*folder) { return func(f *folder) { f.files[name] = content } }

func config(field string, value any) func(*folder) {
	return func(f *folder) { f.files["config.json"].(object)[field] = value }
}

func inTokenizer(field string, value any) func(*folder) {
	return func(f *folder) { f.files["tokenizer.json"].(object)[field] = value }
}

func inModel(field string, value any) func(*folder) {
	return func(f *folder) { f.files["tokenizer.json"].(object)["model"].(object)[field] = value }
}

func cut(pattern, behavior string) object {
	return object{"type": "Sequence", "pretokenizers": []object{
		{"type": "Split", "pattern": object{"Regex": pattern}, "behavior": behavior},
		{"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
	}}
}

// tensor adds one, of zeros.
func tensor(name, dtype string, shape ...int) func(*folder) {
	size := 4
	for _, d := range shape {
		size *= d
	}
	return func(f *folder) {
		f.weights = append(f.weights, safetensors.Tensor{Name: name, DType: dtype, Shape: shape, Data: make([]byte, size)})
	}
}

// TestBrokenWeights wants errors of safetensors files to be those of a model file too.
func TestBrokenWeights(t *testing.T) {
	f, err := gguf.Parse(tiny.GGUF(tiny.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, shards := range []int{0, 2} {
		c := folderOf(f)
		c.shards = shards
		dir := c.write(t)
		paths, err := filepath.Glob(filepath.Join(dir, "*.safetensors"))
		if err != nil || len(paths) == 0 {
			t.Fatal(paths, err)
		}
		if err := os.Truncate(paths[0], 5000); err != nil {
			t.Fatal(err)
		}
		_, err = checkpoint.Open(dir)
		if _, ok := errors.AsType[*gguf.FormatError](err); !ok || !strings.Contains(err.Error(), paths[0]) {
			t.Errorf("%d shards: %v", shards, err)
		}
	}
}
