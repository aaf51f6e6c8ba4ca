package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
	"example.com/minillm/sampling"
	"example.com/minillm/transformer"
)

// cache returns memory for n sequences of up to positions positions.
func cache(t testing.TB, n, positions int) kvcache.Cache {
	t.Helper()
	c, err := kvcache.NewContiguous(fake.Shape, n, positions, kvcache.I16)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// alone generates spec by itself.
func alone(t testing.TB, m batch.Model, spec batch.Spec) *batch.Sequence {
	t.Helper()
	s := batch.NewSequence(spec)
	run(t, m, batch.NewStatic(cache(t, 1, 256), 1), s)
	return s
}

func run(t testing.TB, m batch.Model, p batch.Policy, seqs ...*batch.Sequence) {
	t.Helper()
	for _, s := range seqs {
		if err := p.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Run(context.Background(), batch.NewRunner(m), p); err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); s.Waiting+s.Running != 0 {
		t.Errorf("after the run: %+v", s)
	}
}

func sampler(t testing.TB, p sampling.Params) sampling.Sampler {
	t.Helper()
	s, err := sampling.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func prompt(n, seed int) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32((i*i*7 + i*seed + seed*seed + 3) % 250)
	}
	return p
}

// specs are n requests of all kinds.
func specs(t testing.TB, n int) []batch.Spec {
	list := make([]batch.Spec, n)
	for i := range list {
		list[i] = batch.Spec{
			Prompt:  prompt(1+i*13%40, i/2), // every second one shares its beginning
			Max:     1 + i*5%17,
			Sampler: sampler(t, sampling.Params{Temperature: float64(i%3) / 2, Seed: uint64(i)}),
			NoCache: i%5 == 4,
		}
	}
	return list
}

func TestPoliciesGiveTheSameTokens(t *testing.T) {
	policies := map[string]func() batch.Policy{
		"static":          func() batch.Policy { return batch.NewStatic(cache(t, 4, 64), 4) },
		"static, 1":       func() batch.Policy { return batch.NewStatic(cache(t, 4, 64), 1) },
		"continuous":      func() batch.Policy { return batch.NewContinuous(cache(t, 8, 64), 5) },
		"few slabs":       func() batch.Policy { return batch.NewContinuous(cache(t, 2, 64), 8) },
		"few slabs, many": func() batch.Policy { return batch.NewStatic(cache(t, 3, 64), 100) },
	}
	list := specs(t, 17)
	for name, policy := range policies {
		t.Run(name, func(t *testing.T) {
			seqs := make([]*batch.Sequence, len(list))
			for i := range list {
				seqs[i] = batch.NewSequence(list[i])
			}
			run(t, &fake.Model{}, policy(), seqs...)
			for i, s := range seqs {
				want := alone(t, &fake.Model{}, list[i])
				if s.Finish() != batch.Length || !slices.Equal(s.Output(), want.Output()) {
					t.Errorf("sequence %d: %v %v, alone %v", i, s.Finish(), s.Output(), want.Output())
				}
			}
		})
	}
}

// lending draws tokens on goroutines of its own, in no particular order.
type lending struct {
	fake.Model
	lent int
}

func (m *lending) Each(n int, f func(i int)) {
	m.lent += n
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

// Tokens are the same whoever draws them.
func TestLentGoroutinesDrawTheSame(t *testing.T) {
	list := specs(t, 17)
	outputs := func(m batch.Model) (out [][]int32) {
		p := batch.NewContinuous(cache(t, 8, 64), 8)
		var seqs []*batch.Sequence
		for _, spec := range list {
			seqs = append(seqs, batch.NewSequence(spec))
			if err := p.Add(seqs[len(seqs)-1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := batch.Run(t.Context(), batch.NewRunner(m), p); err != nil {
			t.Fatal(err)
		}
		for _, s := range seqs {
			out = append(out, s.Output())
		}
		return out
	}
	m := &lending{}
	if diff := cmp.Diff(outputs(&fake.Model{}), outputs(m)); diff != "" {
		t.Error("in turn and on goroutines:", diff)
	}
	if m.lent == 0 {
		t.Error("no goroutine was borrowed")
	}
}

func TestWithoutCacheTokensAreTheSameAndCostMore(t *testing.T) {
	spec := batch.Spec{Prompt: prompt(10, 1), Max: 8}
	with, without := &fake.Model{}, &fake.Model{}
	a := alone(t, with, spec)
	spec.NoCache = true
	b := alone(t, without, spec)
	if !slices.Equal(a.Output(), b.Output()) {
		t.Errorf("with the cache %v, without %v", a.Output(), b.Output())
	}
	if with.Tokens != 10+7 || without.Tokens != 10+11+12+13+14+15+16+17 {
		t.Errorf("computed %d tokens with the cache, %d without", with.Tokens, without.Tokens)
	}
}

func TestEnds(t *testing.T) {
	say := func(text string) *fake.Model { return &fake.Model{Script: fake.Say(text, 3)} }
	tests := []struct {
		name string
		m    *fake.Model
		spec batch.Spec
		size int
		want batch.Finish
		text string
	}{
		{"stop", say("hello"), batch.Spec{Max: 99, Stop: []int32{0, fake.EOS}}, 64, batch.Stop, "hello"},
		{"stop at once", say(""), batch.Spec{Max: 99, Stop: []int32{fake.EOS}}, 64, batch.Stop, ""},
		{"max", say("hello"), batch.Spec{Max: 4, Stop: []int32{fake.EOS}}, 64, batch.Length, "hell"},
		{"one", say("hello"), batch.Spec{Max: 1}, 64, batch.Length, "h"},
		{"end of the cache", say("hello, world"), batch.Spec{Stop: []int32{fake.EOS}}, 10, batch.Length, "hello, w"},
		{"end of the cache before max", say("hello, world"), batch.Spec{Max: 1000}, 10, batch.Length, "hello, w"},
		{"prompt as long as the cache", say("hello"), batch.Spec{}, 3, batch.Length, "h"},
		{"nothing wanted", say("hello"), batch.Spec{OnlyPrompt: true}, 3, batch.Length, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.spec.Prompt = []int32{1, 2, 3}
			s := batch.NewSequence(test.spec)
			run(t, test.m, batch.NewContinuous(cache(t, 1, test.size), 1), s)
			if got := string(fake.Bytes{}.Decode(nil, s.Output()...)); s.Finish() != test.want || got != test.text {
				t.Errorf("%v %q, want %v %q", s.Finish(), got, test.want, test.text)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, p := range []batch.Policy{batch.NewStatic(cache(t, 1, 8), 1), batch.NewContinuous(cache(t, 1, 8), 1)} {
		if err := p.Add(batch.NewSequence(batch.Spec{Prompt: prompt(9, 0)})); !errors.Is(err, batch.ErrTooLong) {
			t.Errorf("9 tokens where 8 fit: %v", err)
		}
		if err := p.Add(batch.NewSequence(batch.Spec{})); !errors.Is(err, batch.ErrEmpty) {
			t.Errorf("no prompt: %v", err)
		}
		s := batch.NewSequence(batch.Spec{Prompt: prompt(5, 0), Max: 2})
		run(t, &fake.Model{}, p, s)
		if s.Finish() != batch.Length {
			t.Errorf("the next one: %v", s.Finish())
		}
	}
}

var errPanic = errors.New("panic")

// broken is a user's own sampler.
type broken struct {
	after int
	token int32
	err   error
}

func (b broken) Sample(_ []float32, history []int32, prompt int) (int32, error) {
	if len(history)-prompt < b.after {
		return 1, nil
	}
	if b.err == errPanic {
		panic(b.err)
	}
	return b.token, b.err
}

func TestOneFaultEndsOneSequence(t *testing.T) {
	own := errors.New("sampler's own")
	nothing := func(tokens []int32, row []float32) {
		if tokens[0] == 251 {
			for i := range row {
				row[i] = float32(math.Inf(-1))
			}
		}
	}
	tests := []struct {
		name string
		m    *fake.Model
		spec batch.Spec
		err  error
		out  int
	}{
		{"NaN", &fake.Model{Row: fake.NaN(251)}, batch.Spec{Prompt: []int32{251}}, sampling.ErrBadLogit, 0},
		{"no candidate", &fake.Model{Row: nothing}, batch.Spec{Prompt: []int32{251}}, sampling.ErrNoToken, 0},
		{"NaN in a scored prompt", &fake.Model{Row: fake.NaN(251)}, batch.Spec{Prompt: []int32{251, 1}, PromptLogprobs: true}, sampling.ErrBadLogit, 0},
		{"own sampler", &fake.Model{}, batch.Spec{Prompt: []int32{1}, Sampler: broken{after: 2, err: own}}, own, 2},
		{"own sampler panics", &fake.Model{}, batch.Spec{Prompt: []int32{1}, Sampler: broken{after: 1, err: errPanic}}, nil, 1},
		{"token of no vocabulary", &fake.Model{}, batch.Spec{Prompt: []int32{1}, Sampler: broken{after: 3, token: 260}}, nil, 3},
		{"negative token", &fake.Model{}, batch.Spec{Prompt: []int32{1}, Sampler: broken{token: -1}}, nil, 0},
		{"prompt of no vocabulary", &fake.Model{}, batch.Spec{Prompt: []int32{1, 260}}, nil, 0},
		{"negative prompt", &fake.Model{}, batch.Spec{Prompt: []int32{1, -1, 1}}, nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.spec.Max = 9
			c := cache(t, 3, 64)
			free := c.Free()
			good := []batch.Spec{{Prompt: prompt(20, 1), Max: 9}, {Prompt: prompt(7, 2), Max: 12}}
			a, s, b := batch.NewSequence(good[0]), batch.NewSequence(test.spec), batch.NewSequence(good[1])
			run(t, test.m, batch.NewContinuous(c, 3), a, s, b)
			if s.Finish() != batch.Failed || s.Err() == nil || !errors.Is(s.Err(), test.err) && test.err != nil {
				t.Errorf("%v, %v, want %v", s.Finish(), s.Err(), test.err)
			}
			if len(s.Output()) != test.out {
				t.Errorf("output %v, want %d tokens", s.Output(), test.out)
			}
			for i, x := range []*batch.Sequence{a, b} {
				if want := alone(t, &fake.Model{}, good[i]).Output(); !slices.Equal(x.Output(), want) {
					t.Errorf("neighbour %d: %v, alone %v", i, x.Output(), want)
				}
			}
			if c.Free() != free {
				t.Errorf("free %d of %d", c.Free(), free)
			}
		})
	}
}

func TestFailedForwardMovesNothing(t *testing.T) {
	fault := errors.New("out of order")
	for name, step := range map[string]func([]transformer.Chunk) error{"error": fake.Fault(3, fault), "panic": fake.Fault(3, nil)} {
		t.Run(name, func(t *testing.T) {
			spec := batch.Spec{Prompt: prompt(5, 0), Max: 6}
			s := batch.NewSequence(spec)
			p, r := batch.NewContinuous(cache(t, 1, 64), 1), batch.NewRunner(&fake.Model{Step: step})
			if err := p.Add(s); err != nil {
				t.Fatal(err)
			}
			err := func() (err error) {
				defer func() {
					if x := recover(); x != nil {
						err = fmt.Errorf("%w: %v", fault, x)
					}
				}()
				return batch.Run(context.Background(), r, p)
			}()
			if !errors.Is(err, fault) || len(s.Output()) != 2 {
				t.Fatalf("%v after %v", err, s.Output())
			}
			if err := batch.Run(context.Background(), r, p); err != nil {
				t.Fatal(err)
			}
			if want := alone(t, &fake.Model{}, spec).Output(); !slices.Equal(s.Output(), want) {
				t.Errorf("resumed: %v, undisturbed %v", s.Output(), want)
			}
		})
	}
}

// A negative maximum is none, and so is one that nothing comes near.
func TestMaxThatIsNone(t *testing.T) {
	want := alone(t, &fake.Model{}, batch.Spec{Prompt: prompt(5, 0)}).Output()
	for _, most := range []int{-7, math.MinInt, math.MaxInt} {
		got := alone(t, &fake.Model{}, batch.Spec{Prompt: prompt(5, 0), Max: most}).Output()
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%d tokens of %d, %d without a maximum", len(got), most, len(want))
		}
	}
}

// short is a model of few positions.
type short struct{ fake.Model }

func (*short) Limit() int { return 20 }

// A cache with room for more than the model's positions ends one sequence, not the step.
func TestModelShorterThanTheCache(t *testing.T) {
	for _, n := range []int{5, 19, 20, 21, 40} {
		good := batch.Spec{Prompt: prompt(7, 2), Max: 12}
		s, neighbour := batch.NewSequence(batch.Spec{Prompt: prompt(n, 1)}), batch.NewSequence(good)
		run(t, &short{}, batch.NewContinuous(cache(t, 2, 64), 2), s, neighbour)
		switch {
		case n > 20 && (s.Finish() != batch.Failed || !errors.Is(s.Err(), batch.ErrTooLong)):
			t.Errorf("a prompt of %d: %v, %v", n, s.Finish(), s.Err())
		case n <= 20 && (s.Finish() != batch.Length || len(s.Tokens()) != 21):
			t.Errorf("a prompt of %d: %v after %d tokens, %v", n, s.Finish(), len(s.Tokens()), s.Err())
		}
		if want := alone(t, &fake.Model{}, good).Output(); !slices.Equal(neighbour.Output(), want) {
			t.Errorf("beside a prompt of %d: %v, alone %v", n, neighbour.Output(), want)
		}
	}
}

func TestCancelAndDeadline(t *testing.T) {
	now := time.Unix(1000, 0)
	for name, policy := range map[string]func(kvcache.Cache) batch.Policy{
		"static":     func(c kvcache.Cache) batch.Policy { return batch.NewStatic(c, 2) },
		"continuous": func(c kvcache.Cache) batch.Policy { return batch.NewContinuous(c, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			c := cache(t, 2, 64)
			free := c.Free()
			p, r := policy(c), batch.NewRunner(&fake.Model{})
			var seqs []*batch.Sequence
			for i := range 6 {
				s := batch.NewSequence(batch.Spec{Prompt: prompt(4, i), Max: 3, Deadline: now.Add(time.Duration(i%3) * time.Second)})
				seqs = append(seqs, s)
				if err := p.Add(s); err != nil {
					t.Fatal(err)
				}
			}
			p.Remove(seqs[0]) // waiting
			step(t, r, p, now)
			p.Remove(seqs[1]) // running
			seqs[5].Cancel()
			step(t, r, p, now.Add(1500*time.Millisecond))
			reported := map[*batch.Sequence]int{}
			for range 20 {
				for _, w := range p.Schedule(now.Add(90 * time.Second)) {
					if w.N == 0 {
						reported[w.Seq]++
					}
				}
			}
			want := []batch.Finish{batch.Cancelled, batch.Cancelled, batch.Timeout, batch.Timeout, batch.Timeout, batch.Cancelled}
			for i, s := range seqs {
				if s.Finish() != want[i] {
					t.Errorf("sequence %d: %v, want %v", i, s.Finish(), want[i])
				}
				if reported[s] > 1 || reported[s] == 1 && s.Finish() != batch.Timeout {
					t.Errorf("sequence %d reported %d times as %v", i, reported[s], s.Finish())
				}
			}
			if st := p.Stats(); st.Waiting+st.Running != 0 || c.Free() != free || st.Expired != 3 {
				t.Errorf("%+v, free %d of %d", st, c.Free(), free)
			}
		})
	}
}

func step(t *testing.T, r *batch.Runner, p batch.Policy, now time.Time) {
	t.Helper()
	if err := r.Step(p.Schedule(now)); err != nil {
		t.Fatal(err)
	}
}

func TestStaticWaitsForTheWholeGroup(t *testing.T) {
	places := func(p batch.Policy) (most []int) {
		r := batch.NewRunner(&fake.Model{})
		for i := range 4 {
			if err := p.Add(batch.NewSequence(batch.Spec{Prompt: prompt(2, i), Max: 1 + i%2*3})); err != nil {
				t.Fatal(err)
			}
		}
		for work := p.Schedule(time.Time{}); len(work) > 0; work = p.Schedule(time.Time{}) {
			most = append(most, len(work))
			if err := r.Step(work); err != nil {
				t.Fatal(err)
			}
		}
		return most
	}
	if got, want := places(batch.NewStatic(cache(t, 2, 16), 2)), []int{2, 1, 1, 1, 2, 1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("static: sequences a step %v, want %v", got, want)
	}
	if got, want := places(batch.NewContinuous(cache(t, 2, 16), 2)), []int{2, 2, 2, 2, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("continuous: sequences a step %v, want %v", got, want)
	}
}

func TestWorkWithoutMemoryPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	s := batch.NewSequence(batch.Spec{Prompt: prompt(4, 0)})
	batch.NewRunner(&fake.Model{}).Step([]batch.Work{{Seq: s, N: 4}})
}

func TestFinishString(t *testing.T) {
	want := []string{"running", "length", "stop", "cancelled", "timeout", "error", "unknown"}
	for i, s := range want {
		if got := batch.Finish(i).String(); got != s {
			t.Errorf("Finish(%d) = %q, want %q", i, got, s)
		}
	}
}
