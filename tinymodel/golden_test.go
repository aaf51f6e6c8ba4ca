package tinymodel_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"example.com/minillm/internal/testenv"
	"example.com/minillm/kvcache"
	"example.com/minillm/tinymodel"
	"example.com/minillm/tokenizer"
	"example.com/minillm/tokenizer/chat"
	"example.com/minillm/transformer"
)

// golden is a prompt with what transformers makes of it in float32. train/check.py writes them.
type golden struct {
	Text      string       `json:"text"`
	Chat      bool         `json:"chat"` // a user's message, else raw text
	IDs       []int32      `json:"ids"`
	LogSumExp float64      `json:"logsumexp"`
	Top       [][2]float64 `json:"top"`    // id and logit, best first
	Greedy    []int32      `json:"greedy"` // to the end token, or 200
	Margins   []float64    `json:"margins"`
}

func goldens(t testing.TB) (all []golden) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// encode is the ids of a golden prompt: as the model's template has it, for a chat.
func (g golden) encode(t testing.TB, tok tokenizer.Tokenizer) []int32 {
	t.Helper()
	if !g.Chat {
		return tok.Encode(nil, g.Text)
	}
	ids, err := template(t, tok).Encode([]chat.Message{{Role: "user", Content: g.Text}}, chat.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func loadTokenizer(t testing.TB) tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.LoadBytes(tinymodel.GGUF)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func load(t testing.TB, o transformer.Options) *transformer.Model {
	t.Helper()
	m, err := transformer.LoadBytes(tinymodel.GGUF, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// forward returns the logits of all tokens, [len(ids)][vocabulary].
func forward(t testing.TB, m *transformer.Model, f kvcache.Format, ids []int32) []float32 {
	t.Helper()
	c, err := kvcache.NewContiguous(m.Shape(), 1, len(ids), f)
	if err != nil {
		t.Fatal(err)
	}
	kv, _, err := c.Open(nil, "")
	if err == nil {
		err = kv.Grow(len(ids))
	}
	if err != nil {
		t.Fatal(err)
	}
	logits := make([]float32, len(ids)*m.VocabSize())
	if err := m.Forward([]transformer.Chunk{{Tokens: ids, KV: kv, Logits: logits}}); err != nil {
		t.Fatal(err)
	}
	return logits
}

func TestPromptsHaveTheGoldenIDs(t *testing.T) {
	tok := loadTokenizer(t)
	for _, g := range goldens(t) {
		if got := g.encode(t, tok); !slices.Equal(got, g.IDs) {
			t.Errorf("%q has ids %v, not %v", g.Text, got, g.IDs)
		}
	}
}

// TestReference compares logits, and the answer, with those of transformers: in float32 they differ by rounding only. The
// whole golden answer is computed at once, which must have the golden ids as the best wherever they were sure by more
// than rounding.
func TestReference(t *testing.T) {
	m := load(t, transformer.Options{Reference: true})
	for _, g := range goldens(t) {
		logits := forward(t, m, kvcache.F32, g.whole())
		first := row(logits, len(g.IDs)-1, m.VocabSize())
		testenv.Near(t, g.Text, testenv.LogSumExp(first), g.LogSumExp, 1e-3)
		for _, top := range g.Top {
			testenv.Near(t, g.Text, float64(first[int(top[0])]), top[1], 1e-3)
		}
		g.compare(t, logits, m.VocabSize(), 1e-3)
	}
}

// TestFast sees that 8-bit products choose the golden ids wherever these were sure.
func TestFast(t *testing.T) {
	m := load(t, transformer.Options{})
	for _, g := range goldens(t) {
		g.compare(t, forward(t, m, kvcache.I16, g.whole()), m.VocabSize(), sure)
	}
}

// sure is the lead over the second best, in logits, that the fast path does not turn round.
const sure = 0.5

// whole is the prompt with the golden answer, without its last id.
func (g golden) whole() []int32 { return slices.Concat(g.IDs, g.Greedy[:len(g.Greedy)-1]) }

func (g golden) compare(t *testing.T, logits []float32, vocab int, margin float64) {
	t.Helper()
	for i, id := range g.Greedy {
		best := int32(testenv.Argmax(row(logits, len(g.IDs)-1+i, vocab)))
		if best != id && g.Margins[i] > margin {
			t.Errorf("%q: id %d of the answer is %d, not %d, which leads by %.3f", g.Text, i, best, id, g.Margins[i])
		}
	}
}

func row(logits []float32, i, n int) []float32 { return logits[i*n : (i+1)*n] }
