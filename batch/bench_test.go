package batch_test

import (
	"testing"

	"example.com/minillm/batch"
	"example.com/minillm/transformer"
)

// idle computes nothing, so that what remains is the runner's own time.
type idle struct{ vocab int }

func (m idle) Forward([]transformer.Chunk) error { return nil }
func (m idle) VocabSize() int                    { return m.vocab }

func decoding(b testing.TB, n, vocab int) (*batch.Runner, []batch.Work) {
	c := cache(b, n, 1<<20)
	work := make([]batch.Work, n)
	for i := range work {
		s := batch.NewSequence(batch.Spec{Prompt: []int32{1}, Sampler: broken{after: 1 << 30}})
		if err := s.Admit(c); err != nil {
			b.Fatal(err)
		}
		work[i] = batch.Work{Seq: s, N: 1}
	}
	return batch.NewRunner(idle{vocab}), work
}

func decode(b testing.TB, r *batch.Runner, work []batch.Work) {
	for _, w := range work {
		if err := w.Seq.Reserve(1); err != nil {
			b.Fatal(err)
		}
	}
	if err := r.Step(work); err != nil {
		b.Fatal(err)
	}
}

// A step of 16 sequences that decode, without the model and the sampler.
func BenchmarkStep16(b *testing.B) {
	r, work := decoding(b, 16, 8)
	for b.Loop() {
		decode(b, r, work)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16, "ns/token")
}

func TestStepDoesNotAllocate(t *testing.T) {
	r, work := decoding(t, 4, 8)
	for range 100 {
		decode(t, r, work)
	}
	// The lists of tokens double now and then: less than once in 100 steps each.
	if n := testing.AllocsPerRun(1000, func() { decode(t, r, work) }); n >= 1 {
		t.Errorf("%v allocations a step", n)
	}
}
