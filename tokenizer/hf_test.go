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

// referenceHashes has hashes of the ids that Hugging Face's tokenizers give for
// the texts of the split cases and testdata/story.txt, by vocabulary.
func referenceHashes(t *testing.T) (hashes map[string][]string) {
	readJSON(t, "testdata/ids.json", &hashes)
	return hashes
}

func testHashes(t *testing.T, tok Tokenizer, name string, want []string) {
	texts := []string{}
	for _, c := range splitCases(t) {
		texts = append(texts, c.Text)
	}
	for i, text := range append(texts, story(t)) {
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
}

func story(t testing.TB) string { return testdata(t, "story.txt") }

func testdata(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func hashIDs(ids []int32) string {
	h := fnv.New64a()
	for _, id := range ids {
		binary.Write(h, binary.LittleEndian, id)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

func TestTrainLikeTheReference(t *testing.T) {
	tok, err := Train(TrainOptions{Size: 1000, Special: []string{"<s>", "</s>"}}, story(t))
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
	if got := strings.Join(merges, "\n") + "\n"; got != testdata(t, "merges.txt") {
		t.Error("merges differ")
	}
	if got := strings.Join(tokens, "\n") + "\n"; got != testdata(t, "vocab.txt") {
		t.Error("tokens differ")
	}
}
