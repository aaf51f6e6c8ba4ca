package tinymodel_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/testenv"
	"example.com/minillm/kvcache"
	"example.com/minillm/tinymodel"
	"example.com/minillm/tinymodel/train/text"
	"example.com/minillm/tokenizer"
	"example.com/minillm/tokenizer/chat"
	"example.com/minillm/transformer"
)

// figures are what train.py says of the model.
type figures struct {
	Parameters int
	Perplexity map[string]map[string]float64 // by number of documents, then kind
}

// TestPerplexity measures the model with held-out documents, which are written anew here, and compares that with the
// trainer's own figures, which were measured before weights were rounded to 8 bits.
func TestPerplexity(t *testing.T) {
	const docs = 100
	data, err := os.ReadFile("train/figures.json")
	if err != nil {
		t.Fatal(err)
	}
	var want figures
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for _, path := range []struct {
		name string
		o    transformer.Options
		rows kvcache.Format
	}{{"reference", transformer.Options{Reference: true}, kvcache.F32}, {"fast", transformer.Options{}, kvcache.I16}} {
		t.Run(path.name, func(t *testing.T) {
			if testing.Short() && path.o.Reference {
				t.Skip("long")
			}
			got := perplexity(t, load(t, path.o), path.rows, docs)
			for kind, ppl := range want.Perplexity[strconv.Itoa(docs)] {
				if !(math.Abs(got[kind]-ppl) <= 0.05*ppl) {
					t.Errorf("perplexity of %s %.4f, the trainer's %.4f", kind, got[kind], ppl)
				} else {
					t.Logf("perplexity of %s %.4f, the trainer's %.4f", kind, got[kind], ppl)
				}
			}
		})
	}
}

// perplexity is that of stories and of answers in the first held-out documents.
func perplexity(t *testing.T, m *transformer.Model, f kvcache.Format, docs int) map[string]float64 {
	tok := loadTokenizer(t)
	sums, counts := map[string]float64{}, map[string]float64{}
	for i := range docs {
		doc := text.New(text.HeldOutSeed, uint64(i))
		ids, target := doc.Encode(tok)
		logits := forward(t, m, f, ids)
		kind := "answers"
		if doc.Turns[0].Role == "" {
			kind = "stories"
		}
		for k, id := range ids[1:] {
			if target[k+1] {
				r := row(logits, k, m.VocabSize())
				sums[kind] += testenv.LogSumExp(r) - float64(r[id])
				counts[kind]++
			}
		}
	}
	ppl := map[string]float64{}
	for kind, sum := range sums {
		ppl[kind] = math.Exp(sum / counts[kind])
	}
	return ppl
}

// TestTemplateWritesWhatWasLearned compares the template in the file with the rendering that the model was trained on.
func TestTemplateWritesWhatWasLearned(t *testing.T) {
	tok := loadTokenizer(t)
	for i := range uint64(40) {
		doc := text.New(text.HeldOutSeed, i)
		if doc.Turns[0].Role == "" || len(doc.Turns) < 2 {
			continue
		}
		var messages []chat.Message
		for _, turn := range doc.Turns[:len(doc.Turns)-1] {
			messages = append(messages, chat.Message{Role: turn.Role, Content: turn.Text})
		}
		got, err := template(t, tok).Encode(messages, chat.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := doc.Encode(tok)
		if len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
			t.Errorf("document %d: %q", i, tok.Decode(nil, got...))
		}
	}
}

func template(t testing.TB, tok tokenizer.Tokenizer) *chat.Template {
	t.Helper()
	f, err := gguf.Parse(tinymodel.GGUF)
	if err != nil {
		t.Fatal(err)
	}
	source, _, err := f.String("tokenizer.chat_template")
	if err != nil {
		t.Fatal(err)
	}
	c, err := chat.New(source, tok)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
