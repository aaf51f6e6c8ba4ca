package checkpoint_test

import (
	"os"
	"slices"
	"testing"

	"example.com/minillm/internal/testenv"
	"example.com/minillm/sampling"
	"example.com/minillm/tokenizer"
	"example.com/minillm/transformer"
)

// TestReal wants the ids, the logits and the greedy text of a GGUF file of a folder that transformers made of it
// (testdata/make.py).
func TestReal(t *testing.T) {
	file, folder := testenv.Model(t, "smollm2-f16"), testenv.Model(t, "smollm2-checkpoint")
	const prompt = "<|im_start|>user\nWhat is 1234 + 1?<|im_end|>\n<|im_start|>assistant\n"
	want := greedy(t, file, prompt)
	if got := greedy(t, folder, prompt); !slices.Equal(got.ids, want.ids) || !slices.Equal(got.logits, want.logits) {
		t.Errorf("ids %v, not %v; or other logits", got.ids, want.ids)
	}
}

// run is a prompt with an answer.
type run struct {
	ids    []int32
	logits []float32
}

func greedy(t *testing.T, path, prompt string) (r run) {
	t.Helper()
	tok, err := tokenizer.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	story, err := os.ReadFile("../../tokenizer/testdata/story.txt")
	if err != nil {
		t.Fatal(err)
	}
	r.ids = tok.EncodeSpecial(nil, prompt)
	m, err := transformer.Load(path, transformer.Options{Reference: true})
	m = opened(t, m, err)
	for range 4 {
		r.logits = logits(t, m, r.ids)
		id, err := sampling.Argmax(r.logits[len(r.logits)-m.VocabSize():])
		if err != nil {
			t.Fatal(err)
		}
		r.ids = append(r.ids, id)
	}
	r.ids = append(r.ids, tok.Stops()...)
	r.ids = tok.Encode(r.ids, string(story))
	return r
}
