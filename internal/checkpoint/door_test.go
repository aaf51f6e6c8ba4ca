package checkpoint_test

import (
	"testing"

	"example.com/minillm"
	"example.com/minillm/internal/tiny"
)

// TestFrontDoor wants the answer of a GGUF file of a folder: the same ids, template, ends and weights.
func TestFrontDoor(t *testing.T) {
	data := tiny.GGUF(tiny.Config{Arch: "qwen3"})
	file, err := minillm.OpenBytes(data, minillm.Options{Threads: 1, KVPositions: 256})
	want := answer(t, file, err)
	folder, err := minillm.Open(folderOf(parse(t, data)).write(t), minillm.Options{Threads: 1, KVPositions: 256})
	if got := answer(t, folder, err); got != want || got == "" {
		t.Errorf("%q, not %q", got, want)
	}
}

func answer(t *testing.T, m *minillm.Model, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	r, err := m.Chat(t.Context(), []minillm.Message{{Role: "user", Content: "the rain"}}, minillm.Request{MaxTokens: 20})
	if err != nil {
		t.Fatal(err)
	}
	return r.Text
}
