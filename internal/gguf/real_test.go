package gguf

import (
	"testing"

	"example.com/minillm/internal/testenv"
)

// TestOpenReal reads real files whole: every value decodes, every tensor has its bytes. Opening decodes nothing:
// vocabularies of hundreds of thousands of pieces take no memory until they are asked for.
func TestOpenReal(t *testing.T) {
	for name, want := range map[string]struct{ tensors, pieces int }{
		"smollm2":            {272, 49152},
		"qwen2.5-coder-0.5b": {291, 151936},
		"gemma3-270m":        {236, 262144},
	} {
		t.Run(name, func(t *testing.T) {
			path := testenv.Model(t, name)
			var f *File
			var err error
			took := allocated(func() { f, err = Open(path) })
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if took > 256<<10 {
				t.Errorf("opening took %d bytes of memory", took)
			}
			useAll(t, f)
			pieces, _, err := f.Strings("tokenizer.ggml.tokens")
			if err != nil || len(pieces) != want.pieces || len(f.Tensors) != want.tensors {
				t.Errorf("%d pieces, %d tensors, %v", len(pieces), len(f.Tensors), err)
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	path := testenv.Model(b, "qwen2.5-coder-0.5b")
	b.ReportAllocs()
	for b.Loop() {
		f, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// BenchmarkStrings decodes a vocabulary.
func BenchmarkStrings(b *testing.B) {
	f, err := Open(testenv.Model(b, "qwen2.5-coder-0.5b"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.ReportAllocs()
	for b.Loop() {
		f.Strings("tokenizer.ggml.tokens")
	}
}
