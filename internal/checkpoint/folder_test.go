package checkpoint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/safetensors"
)

// folder is a checkpoint that a test writes: what JSON files hold, and weights.
type folder struct {
	files   map[string]any // by name; a string is written as it is
	weights []safetensors.Tensor
	shards  int // files of weights; 0 is one without an index, -1 none at all
}

type object = map[string]any

// folderOf makes a checkpoint of a GGUF file, in the spelling of its older files.
func folderOf(f *gguf.File) *folder {
	tokens, types, merges := vocabularyOf(f)
	return &folder{
		files: map[string]any{
			"config.json":            configOf(f),
			"tokenizer.json":         tokenizerOf(tokens, types, merges),
			"generation_config.json": object{"eos_token_id": []int{258}},
			"tokenizer_config.json":  object{"bos_token": object{"content": "<|endoftext|>"}, "eos_token": "<|im_end|>", "chat_template": text(f, "tokenizer.chat_template")},
		},
		weights: weightsOf(f),
	}
}

func (f *folder) write(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range f.files {
		s, ok := content.(string)
		if !ok {
			b, err := json.Marshal(content)
			if err != nil {
				t.Fatal(err)
			}
			s = string(b)
		}
		save(t, filepath.Join(dir, name), []byte(s))
	}
	switch f.shards {
	case -1:
		return dir
	case 0:
		save(t, filepath.Join(dir, "model.safetensors"), encode(t, f.weights))
		return dir
	}
	where := object{}
	for i := range f.shards {
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, f.shards)
		part := f.weights[i*len(f.weights)/f.shards : (i+1)*len(f.weights)/f.shards]
		for _, w := range part {
			where[w.Name] = name
		}
		save(t, filepath.Join(dir, name), encode(t, part))
	}
	index, err := json.Marshal(object{"metadata": object{}, "weight_map": where})
	if err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, "model.safetensors.index.json"), index)
	return dir
}

func save(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func encode(t testing.TB, tensors []safetensors.Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := safetensors.Write(&b, map[string]string{"format": "pt"}, tensors); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func text(f *gguf.File, key string) string { s, _, _ := f.String(key); return s }

// configOf is the configuration in the words of transformers before version 5.
func configOf(f *gguf.File) object {
	arch := text(f, "general.architecture")
	get := func(key string) any { x, _ := f.Get(arch + "." + key); return x }
	class := map[string]string{"llama": "Llama", "qwen2": "Qwen2", "qwen3": "Qwen3", "gemma3": "Gemma3"}[arch] + "ForCausalLM"
	_, untied := f.Tensor("output.weight")
	c := object{
		"architectures": []string{class}, "hidden_act": "silu", "torch_dtype": "float32",
		"vocab_size": get("vocab_size"), "max_position_embeddings": get("context_length"), "hidden_size": get("embedding_length"),
		"intermediate_size": get("feed_forward_length"), "num_hidden_layers": get("block_count"),
		"num_attention_heads": get("attention.head_count"), "num_key_value_heads": get("attention.head_count_kv"),
		"head_dim": get("attention.key_length"), "rms_norm_eps": get("attention.layer_norm_rms_epsilon"),
		"rope_theta": get("rope.freq_base"), "rope_scaling": nil, "tie_word_embeddings": !untied,
	}
	if arch == "gemma3" {
		delete(c, "hidden_act")
		c["hidden_activation"], c["sliding_window"], c["sliding_window_pattern"] = "gelu_pytorch_tanh", get("attention.sliding_window"), 6
		c["rope_local_base_freq"], c["query_pre_attn_scalar"] = 10000, get("attention.key_length")
	}
	return c
}

// weightsOf are the tensors under the names, and in the order of rows, of a checkpoint.
func weightsOf(f *gguf.File) (all []safetensors.Tensor) {
	arch := text(f, "general.architecture")
	heads, _, _ := f.Uint(arch + ".attention.head_count")
	dim, _, _ := f.Uint(arch + ".embedding_length")
	for _, t := range f.Tensors {
		if t.Name == "rope_freqs.weight" {
			continue
		}
		shape := slices.Clone(t.Shape)
		slices.Reverse(shape)
		w := safetensors.Tensor{Name: nameOf(arch, t.Name), DType: t.Type.String(), Shape: shape, Data: t.Data}
		if arch == "llama" && (strings.Contains(t.Name, "attn_q.") || strings.Contains(t.Name, "attn_k.")) {
			w.Data = halves(t, int(dim/heads))
		}
		if arch == "gemma3" && len(shape) == 1 {
			w.Data = add(t.Data, -1)
		}
		all = append(all, w)
	}
	return all
}

func nameOf(arch, name string) string {
	names := []string{
		"token_embd", "model.embed_tokens", "output_norm", "model.norm", "output", "lm_head",
		"attn_q", "self_attn.q_proj", "attn_k", "self_attn.k_proj", "attn_v", "self_attn.v_proj", "attn_output", "self_attn.o_proj",
		"attn_q_norm", "self_attn.q_norm", "attn_k_norm", "self_attn.k_norm",
		"ffn_gate", "mlp.gate_proj", "ffn_up", "mlp.up_proj", "ffn_down", "mlp.down_proj", "attn_norm", "input_layernorm",
		"post_attention_norm", "post_attention_layernorm", "post_ffw_norm", "post_feedforward_layernorm",
		"ffn_norm", "post_attention_layernorm",
	}
	if arch == "gemma3" {
		names[len(names)-1] = "pre_feedforward_layernorm"
	}
	parts := strings.Split(name, ".") // blk, layer, name, weight
	at := slices.Index(names, parts[len(parts)-2])
	parts[len(parts)-2] = names[at+1]
	return strings.Replace(strings.Join(parts, "."), "blk.", "model.layers.", 1)
}

// halves moves the rows of a head apart: those of even numbers first.
func halves(t gguf.Tensor, head int) []byte {
	n := t.Shape[len(t.Shape)-1]
	size, out := len(t.Data)/n, make([]byte, 0, len(t.Data))
	for first := 0; first < n; first += head {
		for _, odd := range []int{0, 1} {
			for i := range head / 2 {
				row := first + 2*i + odd
				out = append(out, t.Data[row*size:(row+1)*size]...)
			}
		}
	}
	return out
}

// add adds to float32 values.
func add(data []byte, x float32) []byte {
	values := make([]float32, len(data)/4)
	quant.Dequantize(values, quant.F32, data)
	for i := range values {
		values[i] += x
	}
	out := make([]byte, len(data))
	quant.Quantize(out, quant.F32, values)
	return out
}

// vocabularyOf is what a byte-level tokenizer.json is made of.
func vocabularyOf(f *gguf.File) (tokens []string, types []int, merges []string) {
	tokens, _, _ = f.Strings("tokenizer.ggml.tokens")
	types, _, _ = f.Ints("tokenizer.ggml.token_type")
	merges, _, _ = f.Strings("tokenizer.ggml.merges")
	return tokens, types, merges
}

// tokenizerOf is a tokenizer.json that cuts words as GPT-2 does.
func tokenizerOf(tokens []string, types []int, merges []string) object {
	vocab, added := object{}, []object{}
	for id, token := range tokens {
		switch types[id] {
		case 1:
			vocab[token] = id
		case 3, 4:
			added = append(added, object{"id": id, "content": token, "special": types[id] == 3})
		}
	}
	return object{
		"added_tokens":  added,
		"normalizer":    nil,
		"pre_tokenizer": object{"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
		"model":         object{"type": "BPE", "vocab": vocab, "merges": merges},
	}
}
