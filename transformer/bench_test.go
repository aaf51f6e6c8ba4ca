package transformer

import (
	"fmt"
	"testing"

	"example.com/minillm/internal/testenv"
	"example.com/minillm/kvcache"
)

// text is n ids that a prompt might have.
func text(m *Model, n int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32((i*7919 + 13) % m.VocabSize())
	}
	return ids
}

func benchModels(b *testing.B, f func(b *testing.B, m *Model)) {
	for _, g := range goldens {
		b.Run(g.model, func(b *testing.B) {
			m, err := Load(testenv.Model(b, g.model), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			f(b, m)
		})
	}
}

// BenchmarkPrefill computes prompts of 512 tokens and the logits of the last.
func BenchmarkPrefill(b *testing.B) {
	benchModels(b, func(b *testing.B, m *Model) {
		c := Chunk{Tokens: text(m, 512), KV: newKV(b, m, 512, kvcache.I16), Logits: make([]float32, m.VocabSize())}
		for b.Loop() {
			forward(b, m, c)
		}
		b.ReportMetric(512*float64(b.N)/b.Elapsed().Seconds(), "tok/s")
	})
}

// BenchmarkDecode computes one token of each of some sequences.
func BenchmarkDecode(b *testing.B) {
	benchModels(b, func(b *testing.B, m *Model) {
		for _, n := range []int{1, 4, 16} {
			b.Run(fmt.Sprint(n), func(b *testing.B) { benchDecode(b, m, n, 64) })
		}
		b.Run("1@4096", func(b *testing.B) { benchDecode(b, m, 1, 4096) })
	})
}

// benchDecode decodes n sequences at about the given depth.
func benchDecode(b *testing.B, m *Model, n, depth int) {
	batch := make([]Chunk, n)
	for i := range batch {
		kv := newKV(b, m, depth+1, kvcache.I16)
		forward(b, m, Chunk{Tokens: text(m, depth), KV: kv})
		batch[i] = Chunk{Tokens: []int32{int32(i)}, Pos: depth, KV: kv, Logits: make([]float32, m.VocabSize())}
	}
	for b.Loop() {
		forward(b, m, batch...)
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "tok/s")
}
