package transformer

import (
	"math"
	"path/filepath"
	"testing"

	"example.com/minillm/internal/gguf"
)

// TestTinyGoldens computes random models of every architecture, which the
// reference implementation made (testdata/make.py). The text is longer than
// the window of gemma3; llama has factors of RoPE's frequencies and biases,
// qwen2 linear scaling of positions.
func TestTinyGoldens(t *testing.T) {
	for arch := range families {
		t.Run(arch, func(t *testing.T) {
			path := filepath.Join("testdata", arch+".gguf")
			ids, want := tinyGolden(t, path)
			m := load(t, path, Options{Reference: true})
			got := make([]float32, len(want))
			forward(t, m, Chunk{Tokens: ids, KV: newKV(t, m, len(ids), m.rows()), Logits: got})
			for i, x := range got {
				if !(math.Abs(float64(x-want[i])) < 2e-5) {
					t.Fatalf("token %d, logit %d: %v, not %v", i/m.VocabSize(), i%m.VocabSize(), x, want[i])
				}
			}
		})
	}
}

func tinyGolden(t *testing.T, path string) (ids []int32, logits []float32) {
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	numbers, _, err := f.Ints("golden.ids")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range numbers {
		ids = append(ids, int32(n))
	}
	if logits, _, err = f.Floats("golden.logits"); err != nil || len(logits) == 0 {
		t.Fatal("no golden logits", err)
	}
	return ids, logits
}
