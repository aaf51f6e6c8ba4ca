package tokenizer

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"
)

// splitCase is a text and the lengths of the pieces that Hugging Face's
// tokenizers cut it into, in testdata/splits.json.
type splitCase struct {
	Text   string
	Pieces map[string][]int
}

func splitCases(t testing.TB) (cases []splitCase) {
	t.Helper()
	readJSON(t, "testdata/splits.json", &cases)
	return cases
}

func TestSplitsLikeTheReference(t *testing.T) {
	for _, c := range splitCases(t) {
		for name, want := range c.Pieces {
			var got []int
			split(pretokenizers[name].stages, c.Text, func(s string) { got = append(got, len(s)) })
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q\n got %q\nwant %q", name, c.Text, cutAt(c.Text, got), cutAt(c.Text, want))
			}
		}
	}
}

func cutAt(s string, lengths []int) (pieces []string) {
	for _, n := range lengths {
		pieces = append(pieces, s[:n])
		s = s[n:]
	}
	return pieces
}

// TestIDsLikeTheReference compares hashes of ids: testdata/ids.json.
func TestIDsLikeTheReference(t *testing.T) {
	var hashes map[string][]string
	readJSON(t, "testdata/ids.json", &hashes)
	story, err := os.ReadFile("testdata/story.txt")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{}
	for _, c := range splitCases(t) {
		texts = append(texts, c.Text)
	}
	texts = append(texts, string(story))
	for name, want := range hashes {
		t.Run(name, func(t *testing.T) {
			tok := loadVocabulary(t, name)
			for i, text := range texts {
				ids := tok.Encode(nil, text)
				if got := hashIDs(ids); got != want[i] {
					t.Errorf("%q: %v", text, ids)
				}
				if name == "falcon" {
					text = strings.ReplaceAll(text, "\v", "") // it has no token for this byte
				}
				if s := string(tok.Decode(nil, ids...)); s != text {
					t.Errorf("decoded %q, want %q", s, text)
				}
			}
		})
	}
}

func hashIDs(ids []int32) string {
	h := fnv.New64a()
	for _, id := range ids {
		binary.Write(h, binary.LittleEndian, id)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

func TestTrainLikeTheReference(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	tok, err := Train(TrainOptions{Size: 1000, Special: []string{"<s>", "</s>"}}, read("story.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var tokens, merges []string
	for _, kv := range tok.Metadata() {
		switch kv.Key {
		case "tokenizer.ggml.tokens":
			tokens = kv.Value.([]string)
		case "tokenizer.ggml.merges":
			merges = kv.Value.([]string)
		}
	}
	if got := strings.Join(merges, "\n") + "\n"; got != read("merges.txt") {
		t.Error("merges differ")
	}
	if got := strings.Join(tokens, "\n") + "\n"; got != read("vocab.txt") {
		t.Error("tokens differ")
	}
}
