package checkpoint_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/minillm/internal/checkpoint"
	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/kvcache"
	"example.com/minillm/tokenizer"
	"example.com/minillm/transformer"
)

// TestLogits wants the bits of a GGUF file of a folder of the same weights.
func TestLogits(t *testing.T) {
	for _, arch := range []string{"llama", "qwen2", "qwen3", "gemma3"} {
		for i, typ := range []quant.Type{quant.F32, quant.F16, quant.BF16} {
			t.Run(fmt.Sprint(arch, "/", typ), func(t *testing.T) {
				f := parse(t, tiny.GGUF(tiny.Config{Arch: arch, Type: typ, Tied: i == 1 || arch == "gemma3"}))
				c := folderOf(f)
				c.shards = 2 * i // of F32 there is one file
				dir := c.write(t)
				for _, reference := range []bool{true, false} {
					o := transformer.Options{Reference: reference, Threads: 1}
					m, err := transformer.Load(dir, o)
					if got, want := logits(t, opened(t, m, err), ids(50)), logits(t, model(t, f, o), ids(50)); !slices.Equal(got, want) {
						t.Errorf("reference %v: other logits", reference)
					}
				}
			})
		}
	}
}

// TestConfigurations takes configurations that transformers wrote (testdata/make.py) and the weights of golden models,
// whose logits it computed: llama has scaling of frequencies and biases, qwen2 linear scaling of positions.
func TestConfigurations(t *testing.T) {
	for _, arch := range []string{"llama", "qwen2", "qwen3", "gemma3"} {
		t.Run(arch, func(t *testing.T) {
			golden, err := os.ReadFile(filepath.Join("..", "..", "transformer", "testdata", arch+".gguf"))
			if err != nil {
				t.Fatal(err)
			}
			config, err := os.ReadFile(filepath.Join("testdata", arch+".json"))
			if err != nil {
				t.Fatal(err)
			}
			f := parse(t, golden)
			c := folder{files: map[string]any{"config.json": string(config), "tokenizer.json": letters()}, weights: weightsOf(f)}
			o := transformer.Options{Reference: true, Threads: 1}
			m, err := transformer.Load(c.write(t), o)
			if got, want := logits(t, opened(t, m, err), ids(40)), logits(t, model(t, f, o), ids(40)); !slices.Equal(got, want) {
				t.Error("other logits")
			}
		})
	}
}

// TestWindows has configurations with a window, used or not.
func TestWindows(t *testing.T) {
	for _, tt := range []struct {
		arch string
		use  any
		size uint64
	}{
		{"llama", nil, 64}, {"llama", false, 0}, // Mistral's
		{"qwen2", nil, 0}, {"qwen2", false, 0}, {"qwen3", nil, 0},
		{"gemma3", nil, 64},
	} {
		c := folderOf(parse(t, tiny.GGUF(tiny.Config{Arch: tt.arch})))
		config("sliding_window", 64)(c)
		if tt.use != nil {
			config("use_sliding_window", tt.use)(c)
		}
		f, err := checkpoint.Open(c.write(t))
		if err != nil {
			t.Fatal(err)
		}
		if size, _, err := f.Uint(tt.arch + ".attention.sliding_window"); err != nil || size != tt.size {
			t.Errorf("%s, used %v: a window of %d, not %d; %v", tt.arch, tt.use, size, tt.size, err)
		}
		f.Close()
	}
}

// letters is a vocabulary of three ids.
func letters() object {
	return tokenizerOf([]string{"a", "b", "ab"}, []int{1, 1, 1}, []string{"a b"})
}

// parse reads a file, and makes norms of gemma numbers that are still the same when one is taken and given back.
func parse(t *testing.T, data []byte) *gguf.File {
	t.Helper()
	f, err := gguf.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if text(f, "general.architecture") == "gemma3" {
		for i, x := range f.Tensors {
			if len(x.Shape) == 1 {
				f.Tensors[i].Data = add(add(x.Data, -1), 1)
			}
		}
	}
	return f
}

func model(t *testing.T, f *gguf.File, o transformer.Options) *transformer.Model {
	t.Helper()
	m, err := transformer.New(f, o)
	return opened(t, m, err)
}

// opened is a model that is closed with the test.
func opened(t *testing.T, m *transformer.Model, err error) *transformer.Model {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func ids(n int) (ids []int32) {
	for i := range n {
		ids = append(ids, int32(11*i%90))
	}
	return ids
}

// logits are those of all ids.
func logits(t *testing.T, m *transformer.Model, ids []int32) []float32 {
	t.Helper()
	cache, err := kvcache.NewContiguous(m.Shape(), 1, len(ids), kvcache.F32)
	if err != nil {
		t.Fatal(err)
	}
	region, _, err := cache.Open(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer region.Close()
	if err := region.Grow(len(ids)); err != nil {
		t.Fatal(err)
	}
	logits := make([]float32, len(ids)*m.VocabSize())
	if err := m.Forward([]transformer.Chunk{{Tokens: ids, KV: region, Logits: logits}}); err != nil {
		t.Fatal(err)
	}
	return logits
}

// TestPaths opens a folder by all of its names, and a GGUF file as before.
func TestPaths(t *testing.T) {
	data := tiny.GGUF(tiny.Config{})
	dir := folderOf(parse(t, data)).write(t)
	file := filepath.Join(dir, "model.gguf")
	save(t, file, data)
	for _, path := range []string{dir, filepath.Join(dir, "model.safetensors"), filepath.Join(dir, "config.json"), file} {
		f, err := checkpoint.Open(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, folder := checkpoint.Folder(path); folder != (f.Version == 0) || folder == (path == file) {
			t.Errorf("%s: a folder: %v, version %d", path, folder, f.Version)
		}
		if err := f.Close(); err != nil || len(f.Tensors) > 0 {
			t.Errorf("Close: %v, %d tensors", err, len(f.Tensors))
		}
	}
}

// TestRelease reads what was released once more: views of the file, and norms that are copies.
func TestRelease(t *testing.T) {
	f, err := checkpoint.Open(folderOf(parse(t, tiny.GGUF(tiny.Config{Arch: "gemma3", Type: quant.BF16}))).write(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, x := range f.Tensors {
		before := bytes.Clone(x.Data)
		f.Release(x)
		if !bytes.Equal(before, x.Data) {
			t.Errorf("%s has changed", x.Name)
		}
	}
}

func TestTokenizer(t *testing.T) {
	data := tiny.GGUF(tiny.Config{Vocab: 300})
	want, err := tokenizer.LoadBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	f := parse(t, data)
	old, young := folderOf(f), folderOf(f)
	inModel := young.files["tokenizer.json"].(object)["model"].(object)
	inModel["merges"] = pairs(inModel["merges"].([]string))
	for spelling, c := range map[string]*folder{"old": old, "young": young} {
		got, err := tokenizer.Load(c.write(t))
		if err != nil {
			t.Fatal(spelling, err)
		}
		for _, s := range []string{"the ringing of 1234 bells, isn't it?\n\n  Ünïcödé 日本", "<|im_start|>user\nhe<|im_end|>"} {
			if a, b := got.EncodeSpecial(nil, s), want.EncodeSpecial(nil, s); !slices.Equal(a, b) {
				t.Errorf("%s: %q: %v, not %v", spelling, s, a, b)
			}
		}
		bos, add := got.BOS()
		if !slices.Equal(got.Stops(), want.Stops()) || got.Size() != want.Size() || bos != 256 || add {
			t.Errorf("%s: stops %v, size %d, BOS %d, %v", spelling, got.Stops(), got.Size(), bos, add)
		}
	}
}

func pairs(merges []string) (pairs [][2]string) {
	for _, m := range merges {
		left, right, _ := strings.Cut(m, " ")
		pairs = append(pairs, [2]string{left, right})
	}
	return pairs
}
