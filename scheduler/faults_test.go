package scheduler

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
	"example.com/minillm/paged"
)

// The tests of this file are faults that users of other engines have reported.

// bench is a scheduler over paged memory with a model that speaks gibberish.
type bench struct {
	t     testing.TB
	cache *paged.Cache
	*Scheduler
	model  *fake.Model
	runner *batch.Runner
	now    time.Time
}

func newBench(t testing.TB, positions, block int, cfg Config) *bench {
	b := &bench{t: t, cache: pages(t, positions, block), model: &fake.Model{}, now: time.Unix(0, 0)}
	b.Scheduler = New(b.cache, cfg)
	b.runner = batch.NewRunner(b.model)
	return b
}

func (b *bench) add(spec batch.Spec) *batch.Sequence {
	b.t.Helper()
	s := batch.NewSequence(spec)
	if err := b.Add(s); err != nil {
		b.t.Fatal(err)
	}
	return s
}

// step reports whether there was anything to do.
func (b *bench) step() bool {
	b.t.Helper()
	work := b.Schedule(b.now)
	if st := b.Stats(); st.Waiting > 0 && st.Running == 0 {
		b.t.Fatalf("somebody waits while nothing runs: %+v", st)
	}
	if err := b.runner.Step(work); err != nil {
		b.t.Fatal(err)
	}
	b.now = b.now.Add(time.Second)
	return len(work) > 0
}

// run steps until nothing is left and returns the number of steps that computed.
func (b *bench) run() (steps int) {
	b.t.Helper()
	for b.step() {
		steps++
	}
	if used := b.cache.Stats().Used; used != 0 {
		b.t.Errorf("%d blocks are still used", used)
	}
	return steps
}

// alone returns what spec generates by itself in memory of its own.
func alone(t testing.TB, spec batch.Spec) *batch.Sequence {
	b := newBench(t, 1<<14, 16, Config{})
	s := b.add(spec)
	b.run()
	return s
}

func same(t *testing.T, got *batch.Sequence) {
	t.Helper()
	want := alone(t, batch.Spec{Prompt: got.Spec().Prompt, Max: got.Spec().Max})
	if got.Finish() != batch.Length || !slices.Equal(got.Output(), want.Output()) {
		t.Errorf("%v %v, alone %v", got.Finish(), got.Output(), want.Output())
	}
}

func TestTooLongIsRefusedAndTheNextOneServed(t *testing.T) {
	b := newBench(t, 64, 16, Config{})
	if err := b.Add(batch.NewSequence(batch.Spec{Prompt: letters("a", 100), Max: 5})); !errors.Is(err, batch.ErrTooLong) {
		t.Errorf("100 tokens where 64 fit: %v", err)
	}
	s := b.add(batch.Spec{Prompt: letters("b", 5), Max: 5})
	b.run()
	same(t, s)
}

func TestPreemptionDoesNotThrash(t *testing.T) {
	const prompt, out = 64, 128
	b := newBench(t, (prompt+out)*3/2, 16, Config{Watermark: -1})
	x, y := b.add(batch.Spec{Prompt: letters("x", prompt), Max: out}), b.add(batch.Spec{Prompt: letters("y", prompt), Max: out})
	steps, progress := 0, 0
	for b.step() {
		if steps++; steps%10 == 0 {
			now := len(x.Output()) + len(y.Output())
			if now == progress {
				t.Fatalf("no progress in 10 steps: %+v", b.Stats())
			}
			progress = now
		}
	}
	if solo := 2 * out; steps > solo {
		t.Errorf("%d steps for what takes %d one after the other", steps, solo)
	}
	if n := b.Stats().Preempted; n != 1 {
		t.Errorf("%d preemptions", n)
	}
	same(t, x)
	same(t, y)
}

func TestNothingIsRepeatedAfterAPreemption(t *testing.T) {
	b := newBench(t, 80, 16, Config{Watermark: -1})
	s, u := b.add(batch.Spec{Prompt: letters("s", 30), Max: 20}), b.add(batch.Spec{Prompt: letters("u", 30), Max: 20})
	var stream []int32
	for b.step() {
		stream = append(stream, u.Output()[len(stream):]...)
	}
	if b.Stats().Preempted == 0 {
		t.Fatal("no preemption")
	}
	same(t, s)
	same(t, u)
	if !slices.Equal(stream, u.Output()) || len(stream) != 20 {
		t.Errorf("streamed %v of %v", stream, u.Output())
	}
}

func TestCancelLeavesNothingBehind(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	for name, steps := range map[string]int{"queued": 0, "mid-prefill": 2, "mid-decode": 6, "last token": 11} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 256, 16, Config{MaxTokens: 20, MaxSeqs: 3})
			free := b.cache.Free()
			s := b.add(batch.Spec{Prompt: letters("s", 70), Max: 8})
			for range steps {
				b.step()
			}
			if name == "last token" && s.Finish() != batch.Length {
				t.Fatalf("%d tokens", len(s.Output()))
			}
			b.Remove(s)
			if st := b.Stats(); st.Running+st.Waiting != 0 || b.cache.Free() != free || s.Finish() == batch.Running {
				t.Errorf("%+v, free %d of %d, %v", st, b.cache.Free(), free, s.Finish())
			}
			if b.step() {
				t.Error("something is left to do")
			}
		})
	}
	noMoreGoroutines(t, goroutines)
}

func TestShortPromptStartsBesideALongOne(t *testing.T) {
	b := newBench(t, 8192, 32, Config{})
	long, short := b.add(batch.Spec{Prompt: letters("l", 4000), Max: 2}), b.add(batch.Spec{Prompt: letters("s", 10), Max: 2})
	steps := 0
	for len(short.Output()) == 0 {
		b.step()
		steps++
	}
	if len(long.Output()) > 0 || steps > 1 {
		t.Errorf("the short one's first token took %d steps, the long one has %d", steps, len(long.Output()))
	}
	b.run()
	same(t, short)
}

func TestSamePrefixTwiceInOneStep(t *testing.T) {
	b := newBench(t, 256, 16, Config{})
	x, y := b.add(batch.Spec{Prompt: letters("p", 33), Max: 5}), b.add(batch.Spec{Prompt: letters("p", 33), Max: 5})
	b.run()
	same(t, x)
	same(t, y)
	if b.model.Tokens != 33+4+1+4 {
		t.Errorf("%d tokens computed: the second prompt has 32 of 33 from the first", b.model.Tokens)
	}
	// The same under a policy that knows nothing of it.
	c := pages(t, 256, 16)
	policy := batch.NewContinuous(c, 2)
	seqs := []*batch.Sequence{batch.NewSequence(*x.Spec()), batch.NewSequence(*x.Spec())}
	for _, s := range seqs {
		if err := policy.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Run(t.Context(), batch.NewRunner(&fake.Model{}), policy); err != nil {
		t.Fatal(err)
	}
	same(t, seqs[0])
	same(t, seqs[1])
	if c.Stats().Used != 0 {
		t.Errorf("%+v", c.Stats())
	}
}

func TestPreemptedAndFoundAgain(t *testing.T) {
	b := newBench(t, 4*16, 16, Config{Watermark: -1})
	x, y := b.add(batch.Spec{Prompt: letters("x", 20), Max: 25}), b.add(batch.Spec{Prompt: letters("y", 20), Max: 25})
	b.run()
	same(t, x)
	same(t, y)
	if st := b.Stats(); st.Preempted == 0 || st.Regained == 0 || st.Regained > st.Lost {
		t.Errorf("%+v", st)
	}
	if y.Cached() != 0 {
		t.Errorf("cached %d: what was found after the preemption does not count", y.Cached())
	}
}

func TestPromptLogprobsWithAPrefixHit(t *testing.T) {
	spec := batch.Spec{Prompt: letters("p", 100), Max: 1, PromptLogprobs: true, TopLogprobs: 2}
	b := newBench(t, 512, 16, Config{MaxTokens: 30, MaxSeqs: 2})
	first := b.add(spec)
	b.run()
	second := b.add(spec)
	b.run()
	if n := len(second.PromptLogprobs()); n != 100 {
		t.Fatalf("%d entries", n)
	}
	if !slices.EqualFunc(first.PromptLogprobs(), second.PromptLogprobs(), slices.Equal) {
		t.Error("the second time they are others")
	}
}

func TestWholeBlocksAreCounted(t *testing.T) {
	b := newBench(t, 2*128, 128, Config{Watermark: -1})
	hold := b.add(batch.Spec{Prompt: letters("h", 10), Max: 50})
	b.step()
	x, y := b.add(batch.Spec{Prompt: letters("x", 2), Max: 3}), b.add(batch.Spec{Prompt: letters("y", 2), Max: 3})
	b.step()
	if !x.Admitted() || y.Admitted() {
		t.Errorf("one block is free: first admitted %v, second %v", x.Admitted(), y.Admitted())
	}
	b.run()
	for _, s := range []*batch.Sequence{hold, x, y} {
		same(t, s)
	}
	if n := b.Stats().Preempted; n != 0 {
		t.Errorf("%d preemptions", n)
	}
}

// Without the cache nothing may be shared either: its rows are written over and
// over.
func TestWithoutCacheNothingIsPublished(t *testing.T) {
	b := newBench(t, 256, 16, Config{})
	b.add(batch.Spec{Prompt: letters("p", 50), Max: 3, NoCache: true})
	b.run()
	s := b.add(batch.Spec{Prompt: letters("p", 50), Max: 3})
	b.run()
	if s.Cached() != 0 {
		t.Errorf("found %d", s.Cached())
	}
	again := b.add(batch.Spec{Prompt: letters("p", 50), Max: 3})
	salted := b.add(batch.Spec{Prompt: letters("p", 50), Max: 3, Salt: "another tenant"})
	b.run()
	if again.Cached() != 48 || salted.Cached() != 0 {
		t.Errorf("found %d, and %d under another salt", again.Cached(), salted.Cached())
	}
}

// A preemption is nobody's fault: what is computed again costs its tenant nothing.
func TestRecomputeIsNotCharged(t *testing.T) {
	b := newBench(t, 64, 16, Config{Watermark: -1})
	b.add(batch.Spec{Prompt: letters("x", 20), Max: 25, Tenant: "x"})
	y := b.add(batch.Spec{Prompt: letters("y", 20), Max: 25, Tenant: "y"})
	for y.Finish() == batch.Running {
		b.step()
	}
	if st := b.Stats(); st.Lost == st.Regained {
		t.Fatalf("nothing was computed again: %+v", st)
	}
	if used := b.queue.byName["y"].usage; used != 20+24 {
		t.Errorf("charged %v tokens for 20 of prompt and 24 of output", used)
	}
}

// broken is a cache that fails to open memory.
type broken struct{ kvcache.Cache }

var errBroken = errors.New("broken")

func (broken) Open([]int32, string) (kvcache.Region, int, error) { return nil, 0, errBroken }

func TestACacheThatFailsEndsTheSequence(t *testing.T) {
	s := New(broken{pages(t, 64, 16)}, Config{})
	seq := batch.NewSequence(batch.Spec{Prompt: letters("x", 5)})
	if err := s.Add(seq); err != nil {
		t.Fatal(err)
	}
	work := s.Schedule(time.Unix(0, 0))
	if len(work) != 1 || work[0].N != 0 || seq.Finish() != batch.Failed || !errors.Is(seq.Err(), errBroken) {
		t.Errorf("%v, %v, %v", work, seq.Finish(), seq.Err())
	}
	if st := s.Stats(); st.Waiting+st.Running != 0 {
		t.Errorf("%+v", st)
	}
}

// The second request with a prefix of 1,000 tokens computes less than a tenth of
// what the first one did, whether it comes later or at the same time.
func TestSharedPrefixIsComputedOnce(t *testing.T) {
	for _, together := range []bool{false, true} {
		b := newBench(t, 1<<14, paged.DefaultBlock, Config{})
		prefix := letters("system", 1000)
		ask := func(question string) *batch.Sequence {
			return b.add(batch.Spec{Prompt: append(slices.Clone(prefix), letters(question, 10)...), Max: 1})
		}
		first := ask("one")
		if !together {
			b.run()
		}
		others := []*batch.Sequence{ask("two"), ask("three"), ask("four")}
		b.run()
		each := (b.model.Tokens - first.Prompt()) / len(others)
		if each > first.Prompt()/10 {
			t.Errorf("together %v: %d tokens computed for the first, %d for each other", together, first.Prompt(), each)
		}
		for _, s := range append(others, first) {
			same(t, s)
		}
	}
}
