package gguf

import (
	"testing"
	"time"

	"example.com/minillm/internal/testenv"
)

// TestOpenReal reads real files whole: every value decodes, every tensor has its bytes.
func TestOpenReal(t *testing.T) {
	for name, tensors := range map[string]int{"smollm2": 272, "qwen2.5-coder-0.5b": 291, "gemma3-270m": 236} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			f, err := Open(testenv.Model(t, name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			t.Logf("opened in %v", time.Since(start))
			start = time.Now()
			for _, key := range f.Keys() {
				if _, ok := f.Get(key); !ok {
					t.Errorf("%s: no value", key)
				}
			}
			t.Logf("all metadata decoded in %v", time.Since(start))
			if len(f.Tensors) != tensors {
				t.Errorf("%d tensors, want %d", len(f.Tensors), tensors)
			}
			for _, x := range f.Tensors {
				if want := x.Type.RowBytes(x.Shape[0]) * x.Rows(); len(x.Data) != want {
					t.Errorf("%s: %d bytes, want %d", x.Name, len(x.Data), want)
				}
			}
		})
	}
}
