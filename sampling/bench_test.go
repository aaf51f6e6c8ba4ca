package sampling

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// likelyRow is a row of a real model's size and shape: noise, and some tokens
// far above it.
func likelyRow(vocab int) []float32 {
	r := rand.New(rand.NewPCG(1, 1))
	row := make([]float32, vocab)
	for i := range row {
		row[i] = float32(r.NormFloat64() * 2)
	}
	for range 50 {
		row[r.IntN(vocab)] += float32(14 + r.NormFloat64()*2)
	}
	return row
}

// At 200 tokens/s, 5 % of a step are 250 µs.
func BenchmarkSample(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, vocab := range []int{49152, 151936} {
		row := likelyRow(vocab)
		history := make([]int32, 1000)
		for i := range history {
			history[i] = int32(r.IntN(vocab))
		}
		for _, c := range []struct {
			name string
			p    Params
		}{
			{"greedy", Params{}},
			{"temperature", Params{Temperature: 1}},
			{"top-k=50", Params{Temperature: 1, TopK: 50}},
			{"top-p=0.95", Params{Temperature: 1, TopP: 0.95}},
			{"min-p=0.05", Params{Temperature: 1, MinP: 0.05}},
			{"penalties", Params{RepetitionPenalty: 1.1, FrequencyPenalty: 0.1}},
		} {
			b.Run(fmt.Sprintf("%s/vocab=%d", c.name, vocab), func(b *testing.B) {
				s := mustNew(b, c.p)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Sample(row, history, 500); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}

func BenchmarkLogprobs(b *testing.B) {
	row := likelyRow(49152)
	var dst []Logprob
	b.ReportAllocs()
	for b.Loop() {
		dst = Logprobs(dst[:0], row, 7, 5)
	}
}
