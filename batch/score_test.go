package batch_test

import (
	"math"
	"slices"
	"testing"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
	"example.com/minillm/sampling"
)

func TestPromptLogprobs(t *testing.T) {
	spec := batch.Spec{Prompt: prompt(200, 3), Max: 2, PromptLogprobs: true, Logprobs: true, TopLogprobs: 3}
	s := alone(t, &fake.Model{}, spec)
	got := s.PromptLogprobs()
	if len(got) != 200 || got[0] != nil {
		t.Fatalf("%d entries, the first %v", len(got), got[0])
	}
	for _, cut := range []int{1, 7, 64, 150} {
		short := spec
		short.Prompt = spec.Prompt[:cut]
		again := alone(t, &fake.Model{}, short)
		if len(again.PromptLogprobs()) != cut {
			t.Fatalf("prompt of %d: %d entries", cut, len(again.PromptLogprobs()))
		}
		// What follows the prompt of cut tokens has the distribution that scored token cut.
		if !slices.Equal(again.Logprobs()[0][1:], got[cut][1:]) {
			t.Errorf("token %d: %v in the prompt, %v as output", cut, got[cut], again.Logprobs()[0])
		}
		if got[cut][0].ID != spec.Prompt[cut] || len(got[cut]) != 4 {
			t.Errorf("token %d: %v", cut, got[cut])
		}
	}
}

func TestLogprobsAreOfTheChosen(t *testing.T) {
	s := alone(t, &fake.Model{}, batch.Spec{
		Prompt: prompt(5, 1), Max: 20, Logprobs: true, TopLogprobs: 260,
		Sampler: sampler(t, sampling.Params{Temperature: 1, Seed: 4}),
	})
	if len(s.Logprobs()) != 20 {
		t.Fatalf("%d entries for 20 tokens", len(s.Logprobs()))
	}
	for i, l := range s.Logprobs() {
		if l[0].ID != s.Output()[i] {
			t.Errorf("token %d: entry of %d, output %d", i, l[0].ID, s.Output()[i])
		}
		sum := 0.0
		for _, x := range l[1:] {
			sum += math.Exp(float64(x.Logprob))
		}
		if math.Abs(sum-1) > 1e-4 {
			t.Errorf("token %d: probabilities sum to %v", i, sum)
		}
	}
}

func TestEmbedding(t *testing.T) {
	// Rows depend on positions alone, and so does the order of their sum.
	spec := batch.Spec{Prompt: prompt(150, 5), Embed: true, OnlyPrompt: true}
	m := &fake.Model{}
	want := alone(t, m, spec).Embedding()
	if m.Steps != 1 {
		t.Errorf("%d steps: hidden rows are small, none has to wait", m.Steps)
	}
	if len(want) != (&fake.Model{}).Dim() || slices.Max(want) > 1 || slices.Min(want) <= 0 {
		t.Fatalf("embedding %v", want)
	}
	s, other := batch.NewSequence(spec), batch.NewSequence(batch.Spec{Prompt: prompt(90, 1), Embed: true, PromptLogprobs: true, Max: 1})
	p := batch.NewContinuous(cache(t, 2, 256), 2)
	run(t, &fake.Model{}, p, other, s)
	if !slices.Equal(s.Embedding(), want) {
		t.Errorf("beside another: %v, alone %v", s.Embedding(), want)
	}
	if len(s.Output()) != 0 || len(other.Output()) != 1 || len(other.PromptLogprobs()) != 90 {
		t.Errorf("output %v and %v", s.Output(), other.Output())
	}
	if e := alone(t, &fake.Model{}, batch.Spec{Prompt: prompt(3, 1), Max: 1}).Embedding(); e != nil {
		t.Errorf("not asked for: %v", e)
	}
}

// plain is a model without hidden rows.
type plain struct{ batch.Model }

func TestEmbeddingNeedsAModelThatHasRows(t *testing.T) {
	if s := alone(t, plain{&fake.Model{}}, batch.Spec{Prompt: prompt(3, 1), Embed: true}); s.Finish() != batch.Failed {
		t.Errorf("%v, %v", s.Finish(), s.Err())
	}
}

// Evicted in the middle of a scored prompt, a sequence reads on where it was.
func TestScoresSurviveEviction(t *testing.T) {
	spec := batch.Spec{Prompt: prompt(100, 3), Max: 3, PromptLogprobs: true, Embed: true}
	want := alone(t, &fake.Model{}, spec)
	for stop := 1; stop < 100; stop += 9 {
		m := &fake.Model{}
		r, c := batch.NewRunner(m), cache(t, 1, 256)
		s := batch.NewSequence(spec)
		computed := 0
		for s.Finish() == batch.Running {
			if !s.Admitted() {
				open(t, s, c)
			}
			n := min(s.Pending(), 10)
			if computed < stop && computed+n >= stop {
				n = stop - computed
			}
			if err := r.Step([]batch.Work{{Seq: s, N: n}}); err != nil {
				t.Fatal(err)
			}
			if computed += n; computed == stop {
				s.Evict()
			}
		}
		if !slices.Equal(s.Output(), want.Output()) || !slices.Equal(s.Embedding(), want.Embedding()) {
			t.Errorf("evicted after %d: output %v, embedding %v", stop, s.Output(), s.Embedding())
		}
		if !slices.EqualFunc(s.PromptLogprobs(), want.PromptLogprobs(), slices.Equal) {
			t.Errorf("evicted after %d: other log-probabilities", stop)
		}
	}
}

func open(t testing.TB, s *batch.Sequence, c kvcache.Cache) {
	t.Helper()
	if err := s.Admit(c); err != nil {
		t.Fatal(err)
	}
	if err := s.Reserve(s.Longest(c) - s.Computed()); err != nil {
		t.Fatal(err)
	}
}
