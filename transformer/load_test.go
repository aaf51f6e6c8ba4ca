package transformer

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/kvcache"
)

// change rewrites a tiny model: kv and tensors are edited before they are
// written again.
func change(t *testing.T, c tiny.Config, edit func(kv map[string]any, tensors map[string]gguf.Tensor)) []byte {
	t.Helper()
	f, err := gguf.Parse(tiny.GGUF(c))
	if err != nil {
		t.Fatal(err)
	}
	kv, tensors := map[string]any{}, map[string]gguf.Tensor{}
	for _, key := range f.Keys() {
		kv[key], _ = f.Get(key)
	}
	for _, each := range f.Tensors {
		tensors[each.Name] = each
	}
	edit(kv, tensors)
	var pairs []gguf.KV
	for key, value := range kv {
		pairs = append(pairs, gguf.KV{Key: key, Value: value})
	}
	var all []gguf.Tensor
	for name, each := range tensors {
		each.Name = name
		all = append(all, each)
	}
	var out bytes.Buffer
	if err := gguf.Write(&out, pairs, all); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestMetadataErrors has a model for each way in which metadata can be wrong.
// The error names the key and says what is wrong with it.
func TestMetadataErrors(t *testing.T) {
	for _, test := range []struct {
		arch, key string
		value     any // nil: the key is missing
		says      string
	}{
		{"llama", "general.architecture", nil, "missing"},
		{"llama", "general.architecture", "mamba", `unknown architecture "mamba"; known are gemma3, llama, qwen2, qwen3`},
		{"llama", "general.architecture", uint32(1), "not a string"},
		{"llama", "llama.block_count", nil, "missing"},
		{"llama", "llama.block_count", uint32(0), "0 is not within"},
		{"llama", "llama.block_count", "two", "not an integer"},
		{"llama", "llama.block_count", int32(-2), "negative"},
		{"llama", "llama.block_count", uint64(1) << 63, "is not within"},
		{"llama", "llama.embedding_length", uint32(0), "0 is not within"},
		{"llama", "llama.embedding_length", uint32(1 << 31), "is not within"},
		{"llama", "llama.feed_forward_length", nil, "missing"},
		{"llama", "llama.feed_forward_length", []uint32{1, 2}, "not an integer"},
		{"llama", "llama.context_length", nil, "missing"},
		{"llama", "llama.context_length", uint32(0), "0 is not within"},
		{"llama", "llama.context_length", uint64(1) << 40, "is not within"},
		{"llama", "llama.attention.head_count", nil, "missing"},
		{"llama", "llama.attention.head_count", uint32(0), "0 is not within"},
		{"llama", "llama.attention.head_count_kv", uint32(3), "4 query heads cannot share 3"},
		{"llama", "llama.attention.head_count_kv", uint32(0), "0 is not within"},
		{"llama", "llama.attention.key_length", uint32(15), "15 is not even"},
		{"llama", "llama.attention.value_length", uint32(32), "differs from the size of keys, 16"},
		{"llama", "llama.rope.dimension_count", uint32(8), "differs from the size of a head, 16"},
		{"llama", "llama.rope.freq_base", float32(0), "0 is not a finite number above zero"},
		{"llama", "llama.rope.freq_base", float32(-1), "-1 is not a finite"},
		{"llama", "llama.rope.scaling.type", "yarn", `unknown scaling "yarn"; known are linear and none`},
		{"llama", "llama.attention.layer_norm_rms_epsilon", nil, "missing"},
		{"llama", "llama.rope.scaling.factor", float32(-4), "-4 is not a finite"},
		{"llama", "llama.rope.scale_linear", float32(-4), "-4 is not a finite"},
		{"llama", "llama.expert_count", uint32(8), "8 is not supported for llama"},
		{"qwen2", "qwen2.attention.causal", false, "is not supported for qwen2"},
		{"qwen3", "qwen3.pooling_type", uint32(3), "3 is not supported"},
		{"llama", "split.count", uint16(3), "one of 3 parts"},
		{"qwen2", "qwen2.attention.sliding_window", uint32(8), "8 is not supported for qwen2"},
		{"gemma3", "gemma3.attention.sliding_window", nil, "missing"},
		{"gemma3", "gemma3.final_logit_softcapping", float32(30), "30 is not supported for gemma3"},
	} {
		data := change(t, tiny.Config{Arch: test.arch}, func(kv map[string]any, _ map[string]gguf.Tensor) {
			if delete(kv, test.key); test.value != nil {
				kv[test.key] = test.value
			}
		})
		expectFormatError(t, data, test.key, test.says)
	}
}

// TestLinearScaling has the ways in which files say that positions are divided.
func TestLinearScaling(t *testing.T) {
	for _, test := range []struct {
		name   string
		kv     map[string]any
		factor float64
	}{
		{"not at all", nil, 1},
		{"by kind and factor", map[string]any{"scaling.type": "linear", "scaling.factor": float32(4)}, 4},
		{"by a factor alone", map[string]any{"scaling.factor": float32(4)}, 4},
		{"as the first files do", map[string]any{"scale_linear": float32(4)}, 4},
		{"by both names", map[string]any{"scaling.factor": float32(4), "scale_linear": float32(8)}, 4},
		{"a factor of no kind", map[string]any{"scaling.type": "none", "scaling.factor": float32(4)}, 1},
	} {
		data := change(t, tiny.Config{}, func(kv map[string]any, _ map[string]gguf.Tensor) {
			for key, value := range test.kv {
				kv["llama.rope."+key] = value
			}
		})
		f, err := gguf.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := readConfig(f); err != nil || c.factor != test.factor {
			t.Errorf("%s: a factor of %v, not %v; %v", test.name, c.factor, test.factor, err)
		}
	}
}

func expectFormatError(t *testing.T, data []byte, where, says string) {
	t.Helper()
	m, err := LoadBytes(data, Options{})
	if err == nil {
		m.Close()
	}
	var wrong *gguf.FormatError
	if !errors.As(err, &wrong) || wrong.Where != where || !strings.Contains(wrong.What, says) {
		t.Errorf("%s: %q expected, not: %v", where, says, err)
	}
}

// TestHeadsDoNotDivide has no size of heads, which then follows from others.
func TestHeadsDoNotDivide(t *testing.T) {
	data := change(t, tiny.Config{}, func(kv map[string]any, _ map[string]gguf.Tensor) {
		delete(kv, "llama.attention.key_length")
		kv["llama.attention.head_count"] = uint32(6)
	})
	expectFormatError(t, data, "llama.attention.head_count", "6 heads cannot share an embedding length of 64")
}

// TestTensorErrors has a model for each way in which tensors can be wrong.
func TestTensorErrors(t *testing.T) {
	const name = "blk.1.ffn_down.weight"
	for _, test := range []struct {
		where, says string
		edit        func(map[string]gguf.Tensor)
	}{
		{name, "missing", func(all map[string]gguf.Tensor) { delete(all, name) }},
		{name, "its shape is [64 64], not [128 64]", func(all map[string]gguf.Tensor) { all[name] = all["blk.1.attn_output.weight"] }},
		{"blk.0.attn_norm.weight", "its shape is [128 64], not [64]", func(all map[string]gguf.Tensor) { all["blk.0.attn_norm.weight"] = all[name] }},
		{"blk.2.attn_norm.weight", "does not have", func(all map[string]gguf.Tensor) { all["blk.2.attn_norm.weight"] = all["blk.1.attn_norm.weight"] }},
		{"blk.0.attn_q_norm.weight", "does not have", func(all map[string]gguf.Tensor) { all["blk.0.attn_q_norm.weight"] = all["blk.1.attn_norm.weight"] }},
		{"token_embd.weight", "missing, or not a matrix", func(all map[string]gguf.Tensor) { delete(all, "token_embd.weight") }},
	} {
		data := change(t, tiny.Config{}, func(_ map[string]any, all map[string]gguf.Tensor) { test.edit(all) })
		expectFormatError(t, data, test.where, test.says)
	}
}

// TestFactors has divisors of frequencies: a file may have them, but not zero.
func TestFactors(t *testing.T) {
	with := func(last float32) []byte {
		return change(t, tiny.Config{}, func(_ map[string]any, all map[string]gguf.Tensor) {
			factors := gguf.Tensor{Type: quant.F32, Shape: []int{8}, Data: make([]byte, 32)}
			quant.Quantize(factors.Data, quant.F32, []float32{1, 1, 1, 1, 2, 4, 8, last})
			all[freqsName] = factors
		})
	}
	m, err := LoadBytes(with(8), Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	expectFormatError(t, with(0), freqsName, "factor 7 is 0")
}

// FuzzLoad changes a model file: it is refused, or works.
func FuzzLoad(f *testing.F) {
	for arch := range families {
		f.Add(tiny.GGUF(tiny.Config{Arch: arch, Layers: 1, Dim: 32, FFN: 32, Type: quant.Q8_0}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := LoadBytes(data, Options{Threads: 1})
		if err != nil {
			return
		}
		defer m.Close()
		forward(t, m, Chunk{Tokens: []int32{0}, KV: newKV(t, m, 1, kvcache.I16), Logits: make([]float32, m.VocabSize())})
	})
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("Once upon a time"), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := tiny.GGUF(tiny.Config{})
	cut := filepath.Join(dir, "cut")
	if err := os.WriteFile(cut, whole[:len(whole)-1000], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, text, cut, filepath.Join(dir, "none")} {
		if _, err := Load(path, Options{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("Load(%q): %v", path, err)
		}
	}
	if _, err := LoadBytes(whole, Options{Threads: -1}); err == nil {
		t.Error("-1 threads were taken")
	}
}

func TestProgress(t *testing.T) {
	var seen []int64
	m, err := LoadBytes(tiny.GGUF(tiny.Config{}), Options{Progress: func(done, total int64) {
		seen = append(seen, done)
		if done > total || done == 0 {
			t.Errorf("%d of %d", done, total)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if len(seen) < 10 || !slices.IsSorted(seen) {
		t.Errorf("progress was %v", seen)
	}
}

// TestLoadAgain loads and closes many times: neither goroutines nor memory
// stay behind.
func TestLoadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	if err := os.WriteFile(path, tiny.GGUF(tiny.Config{Type: quant.Q8_0}), 0o600); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	for range 20 {
		m := load(t, path, Options{})
		for range 2 {
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Forward(nil); !errors.Is(err, ErrClosed) {
			t.Fatalf("Forward after Close: %v", err)
		}
	}
	for tries := 0; runtime.NumGoroutine() > before; tries++ {
		if tries == 100 {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
		time.Sleep(10 * time.Millisecond)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil && bytes.Contains(maps, []byte(path)) {
		t.Error("the file is still mapped")
	}
}

func TestDescribe(t *testing.T) {
	f, err := gguf.Parse(tiny.GGUF(tiny.Config{Arch: "gemma3", Type: quant.Q4_0, Tied: true}))
	if err != nil {
		t.Fatal(err)
	}
	d, err := Describe(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Architecture != "gemma3" || d.Layers != 6 || d.Heads != 4 || d.KVHeads != 2 || d.HeadDim != 32 || d.Window != 64 {
		t.Errorf("%+v", d)
	}
	if n := len(d.Matrices); n != 6*7+1 {
		t.Fatalf("%d matrices", n)
	}
	want := Matrix{Name: "blk.0.attn_q.weight", Rows: 128, Cols: 64, Format: "Q4_0", FileBytes: 128 * 36, Layout: "Q4_0", Bytes: 128 * 36}
	if got := d.Matrices[1]; got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
	reference, err := Describe(f, Options{Reference: true})
	if err != nil || reference.Memory < 6*d.Memory || reference.Parameters != d.Parameters {
		t.Errorf("reference path: %d bytes, fast path %d, %v", reference.Memory, d.Memory, err)
	}
}
