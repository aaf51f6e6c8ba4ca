package scheduler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/kvcache"
	"example.com/minillm/paged"
	"example.com/minillm/sampling"
	"example.com/minillm/transformer"
)

// spy samples as another sampler does and keeps every row it saw.
type spy struct {
	sampling.Sampler
	rows map[int][]float32 // by the position of the token that follows
}

func (s spy) Sample(logits []float32, history []int32, prompt int) (int32, error) {
	s.rows[len(history)] = slices.Clone(logits)
	return s.Sampler.Sample(logits, history, prompt)
}

// requests are of all kinds: alike, with a beginning in common, with prompts
// that end with a block, drawn at random, scored, without the cache.
func requests(t testing.TB) []batch.Spec {
	list := []batch.Spec{
		{Prompt: words(1, 50), Max: 14},
		{Prompt: words(1, 50), Max: 14},
		{Prompt: words(1, 64), Max: 3},
		{Prompt: words(1, 65), Max: 9, Priority: -1},
		{Prompt: words(2, 1), Max: 20},
		{Prompt: append(words(1, 40), words(3, 30)...), Max: 10, Tenant: "other"},
		{Prompt: words(1, 50), Max: 5, PromptLogprobs: true},
		{Prompt: words(4, 17), Max: 6, NoCache: true},
		{Prompt: words(5, 80), Max: 12, Priority: 1},
		{Prompt: words(5, 80), Max: 12},
	}
	for i := range list {
		s, err := sampling.New(sampling.Params{Temperature: float64(i % 2), Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		list[i].Sampler = s
	}
	return list
}

// words is the beginning of text number i.
func words(i, n int) []int32 {
	p := make([]int32, n)
	for j := range p {
		p[j] = int32(hash(i, j) % 90)
	}
	return p
}

// generate computes the requests under a policy and returns what came of each, with
// the rows of logits that its sampler saw.
func generate(t testing.TB, m batch.Model, p batch.Policy, list []batch.Spec) ([]*batch.Sequence, []spy) {
	seqs, spies := make([]*batch.Sequence, len(list)), make([]spy, len(list))
	for i, spec := range list {
		spies[i] = spy{spec.Sampler, map[int][]float32{}}
		spec.Sampler = spies[i]
		seqs[i] = batch.NewSequence(spec)
		if err := p.Add(seqs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Run(t.Context(), batch.NewRunner(m), p); err != nil {
		t.Fatal(err)
	}
	return seqs, spies
}

// disturbed is a scheduler that preempts whenever its dice say so.
type disturbed struct {
	*Scheduler
	rng *rand.Rand
}

func (d disturbed) Schedule(now time.Time) []batch.Work {
	if n := len(d.running); n > 0 && d.rng.IntN(3) == 0 {
		d.preempt(d.running[n-1])
	}
	return d.Scheduler.Schedule(now)
}

// policies are many ways to serve the same requests, over memory of every kind.
func policies(t testing.TB, shape kvcache.Shape, format kvcache.Format) map[string]batch.Policy {
	blocks := func(positions, block int) *paged.Cache {
		c, err := paged.New(shape, paged.Options{Positions: positions, Block: block, Format: format})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	slabs, err := kvcache.NewContiguous(shape, 4, 128, format)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]batch.Policy{
		"static":                batch.NewStatic(slabs, 4),
		"static, paged":         batch.NewStatic(blocks(1024, 32), 3),
		"continuous":            batch.NewContinuous(slabs, 3),
		"continuous, paged":     batch.NewContinuous(blocks(512, 16), 4),
		"scheduled, contiguous": New(slabs, Config{MaxTokens: 40}),
		"one token a step":      New(blocks(512, 16), Config{MaxTokens: 1}),
	}
	for _, block := range []int{16, 32, 64, 128} {
		list[fmt.Sprintf("blocks of %d", block)] = New(blocks(2048, block), Config{MaxTokens: 100})
		list[fmt.Sprintf("blocks of %d, few", block)] = New(blocks(max(128, 2*block), block), Config{MaxTokens: 64, Watermark: -1})
	}
	for _, budget := range []int{3, 7, 16, 31, 500} {
		list[fmt.Sprintf("budget of %d", budget)] = New(blocks(256, 16), Config{MaxTokens: budget, MaxSeqs: 5, Watermark: -1})
		list[fmt.Sprintf("budget of %d, disturbed", budget)] = disturbed{
			New(blocks(512, 32), Config{MaxTokens: budget}), rand.New(rand.NewPCG(uint64(budget), 2)),
		}
	}
	return list
}

// TestEqualToAlone: policy, memory, neighbours, chunks and preemptions change no
// bit of what a sequence gets to see.
func TestEqualToAlone(t *testing.T) {
	one, err := transformer.LoadBytes(tiny.GGUF(tiny.Config{}), transformer.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	t.Run("fake", func(t *testing.T) { equalToAlone(t, &fake.Model{}, fake.Shape, kvcache.I16) })
	for _, format := range []kvcache.Format{kvcache.I16, kvcache.F32, kvcache.Q8} {
		t.Run(format.String(), func(t *testing.T) { equalToAlone(t, one, one.Shape(), format) })
		if testing.Short() || raceEnabled {
			return
		}
	}
}

func equalToAlone(t *testing.T, m batch.Model, shape kvcache.Shape, format kvcache.Format) {
	list := requests(t)
	if raceEnabled {
		list = list[:5] // ten times slower
	}
	want, rows := make([]*batch.Sequence, len(list)), make([]spy, len(list))
	for i := range list {
		c, err := kvcache.NewContiguous(shape, 1, 128, format)
		if err != nil {
			t.Fatal(err)
		}
		seqs, spies := generate(t, m, batch.NewStatic(c, 1), list[i:i+1])
		want[i], rows[i] = seqs[0], spies[0]
	}
	for name, p := range policies(t, shape, format) {
		seqs, spies := generate(t, m, p, list)
		for i, s := range seqs {
			if s.Finish() != batch.Length || !slices.Equal(s.Output(), want[i].Output()) {
				t.Errorf("%s, request %d: %v %v, alone %v", name, i, s.Finish(), s.Output(), want[i].Output())
			}
			for pos, row := range rows[i].rows {
				if !sameBits(spies[i].rows[pos], row) {
					t.Errorf("%s, request %d: other logits for position %d", name, i, pos)
					break
				}
			}
			if !slices.EqualFunc(s.PromptLogprobs(), want[i].PromptLogprobs(), slices.Equal) {
				t.Errorf("%s, request %d: other scores of the prompt", name, i)
			}
		}
		if d, ok := p.(disturbed); ok && d.Stats().Preempted < 5 {
			t.Errorf("%s: %+v", name, d.Stats())
		}
	}
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// Choices of one request join when the first one's prompt is computed: they share
// its blocks, and each draws as if it were alone.
func TestForksShareThePromptAndDrawApart(t *testing.T) {
	m := &fake.Model{}
	c := pages(t, 1024, 16)
	p, r := New(c, Config{}), batch.NewRunner(m)
	choice := func(seed uint64) batch.Spec {
		s, err := sampling.New(sampling.Params{Temperature: 1.5, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return batch.Spec{Prompt: words(1, 200), Max: 8, Sampler: s}
	}
	seqs := []*batch.Sequence{batch.NewSequence(choice(0))}
	add := func(s *batch.Sequence) {
		if err := p.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	add(seqs[0])
	for forked := false; ; {
		work := p.Schedule(time.Unix(0, 0))
		if len(work) == 0 {
			break
		}
		if err := r.Step(work); err != nil {
			t.Fatal(err)
		}
		if seqs[0].PromptComputed() && !forked {
			forked = true
			for seed := range uint64(3) {
				seqs = append(seqs, batch.NewSequence(choice(seed+1)))
				add(seqs[len(seqs)-1])
			}
		}
	}
	if len(seqs) != 4 {
		t.Fatal("nobody joined")
	}
	for i, s := range seqs {
		alone, _ := generate(t, &fake.Model{}, New(pages(t, 512, 16), Config{}), []batch.Spec{choice(uint64(i))})
		if !slices.Equal(s.Output(), alone[0].Output()) {
			t.Errorf("choice %d: %v, alone %v", i, s.Output(), alone[0].Output())
		}
		if i > 0 && (s.Cached() != 192 || slices.Equal(s.Output(), seqs[0].Output())) {
			t.Errorf("choice %d: %d of 200 found, %v", i, s.Cached(), s.Output())
		}
	}
	if m.Tokens != 200+3*8+4*7 {
		t.Errorf("%d tokens computed", m.Tokens)
	}
	if c.Stats().Used != 0 {
		t.Errorf("%+v", c.Stats())
	}
}

// Engines of their own may run side by side: they share nothing but weights.
func TestSideBySide(t *testing.T) {
	var all sync.WaitGroup
	defer all.Wait()
	for range 4 {
		all.Go(func() {
			seqs, _ := generate(t, &fake.Model{}, New(pages(t, 256, 16), Config{MaxTokens: 20}), requests(t))
			for _, s := range seqs {
				if s.Finish() != batch.Length {
					t.Errorf("%v, %v", s.Finish(), s.Err())
				}
			}
		})
	}
}
