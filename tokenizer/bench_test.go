package tokenizer

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"example.com/minillm/internal/testenv"
)

// english is a megabyte of English: sentences of a text in random order, with words exchanged between them.
func english(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(testenv.Shared(t, "goldens/logits/text.txt"))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	sentences := strings.SplitAfter(string(data), ".")
	words := strings.Fields(string(data))
	var b strings.Builder
	for b.Len() < 1<<20 {
		s := sentences[r.IntN(len(sentences))]
		for range 3 {
			s = strings.Replace(s, words[r.IntN(len(words))], words[r.IntN(len(words))], 1)
		}
		b.WriteString(s)
	}
	return b.String()[:1<<20]
}

func BenchmarkEncode(b *testing.B) {
	text := english(b)
	for _, name := range []string{"smollm2", "qwen2.5-coder-0.5b", "gemma3-270m"} {
		b.Run(name, func(b *testing.B) {
			tok := loadModel(b, name)
			dst := tok.Encode(nil, text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				dst = tok.Encode(dst[:0], text)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, name := range []string{"smollm2", "qwen2.5-coder-0.5b", "gemma3-270m"} {
		b.Run(name, func(b *testing.B) {
			path := testenv.Model(b, name)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Load(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTrain(b *testing.B) {
	text := story(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Train(TrainOptions{Size: 1000}, text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	tok, text := learned(b), story(b)
	ids := tok.Encode(nil, text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := NewStream(tok)
		for _, id := range ids {
			s.Push(id)
		}
	}
}
