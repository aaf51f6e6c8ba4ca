package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
	"example.com/minillm/paged"
	"example.com/minillm/scheduler"
	"example.com/minillm/transformer"
)

// bomb panics at its nth use, counted from 1; the zero value never.
type bomb struct{ at, uses int }

func (b *bomb) tick() {
	if b.uses++; b.uses == b.at {
		panic(fmt.Sprint("bomb at use ", b.uses))
	}
}

// place is the function that the bomb is in, of a policy, a cache, a region or
// an observer.
type place string

func (p place) tick(b *bomb, in place) {
	if p == in {
		b.tick()
	}
}

// shaky is a policy with a bomb in it, perhaps.
type shaky struct {
	batch.Policy
	place
	bomb *bomb
}

func (s shaky) Add(q *batch.Sequence) error { s.tick(s.bomb, "Add"); return s.Policy.Add(q) }
func (s shaky) Remove(q *batch.Sequence)    { s.tick(s.bomb, "Remove"); s.Policy.Remove(q) }
func (s shaky) Stats() batch.Stats          { s.tick(s.bomb, "Stats"); return s.Policy.Stats() }
func (s shaky) Schedule(now time.Time) []batch.Work {
	work := s.Policy.Schedule(now)
	s.tick(s.bomb, "Schedule") // too late: memory is reserved, sequences are admitted
	return work
}

// shakyCache is a cache with a bomb in it or in its regions, perhaps.
type shakyCache struct {
	kvcache.Cache
	place
	bomb *bomb
}

func (s shakyCache) Open(tokens []int32, salt string) (kvcache.Region, int, error) {
	s.tick(s.bomb, "Open")
	r, n, err := s.Cache.Open(tokens, salt)
	if err != nil {
		return nil, 0, err
	}
	return shakyRegion{r, s}, n, nil
}

func (s shakyCache) Free() int { s.tick(s.bomb, "Free"); return s.Cache.Free() }

type shakyRegion struct {
	kvcache.Region
	cache shakyCache
}

func (r shakyRegion) Grow(n int) error { r.cache.tick(r.cache.bomb, "Grow"); return r.Region.Grow(n) }
func (r shakyRegion) Publish(tokens []int32) {
	r.cache.tick(r.cache.bomb, "Publish")
	r.Region.Publish(tokens)
}
func (r shakyRegion) Close() { r.Region.Close(); r.cache.tick(r.cache.bomb, "Close") }

// house is an engine over the scheduler and a paged cache so small that the
// requests of storm preempt each other.
type house struct {
	engine *Engine
	cache  *paged.Cache
	told   []*PanicError
	mu     sync.Mutex
}

func (h *house) panics() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.told)
}

func newHouse(t *testing.T, p place, b *bomb) (h *house, stop func()) {
	t.Helper()
	cache, err := paged.New(fake.Shape, paged.Options{Positions: 96, Limit: 64, Block: 16, Format: kvcache.I16})
	if err != nil {
		t.Fatal(err)
	}
	h = &house{cache: cache}
	o := Observer{Step: func(StepInfo) { p.tick(b, "Step") }, Finished: func(RequestInfo) { p.tick(b, "Finished") }}
	o.Panicked = func(p *PanicError) { h.mu.Lock(); h.told = append(h.told, p); h.mu.Unlock() }
	model := &fake.Model{Cost: func([]transformer.Chunk) time.Duration { return stepTime }}
	policy := scheduler.New(shakyCache{cache, p, b}, scheduler.Config{MaxSeqs: 4, MaxTokens: 32, Watermark: 8})
	h.engine = New(batch.NewRunner(model), shaky{policy, p, b}, Options{Observer: o})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); h.engine.Run(ctx) }()
	return h, func() { cancel(); <-done; cache.Close() }
}

// storm asks for much at once, some of which is cancelled, and returns how many
// answers failed. Those that did not must be what they are alone.
func (h *house) storm(t *testing.T, want map[string][]int32) (failed int) {
	t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range 8 {
		wg.Go(func() {
			prompt := fmt.Sprint("prompt ", i%4, " and more of it")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if i == 5 {
				ctx, cancel = context.WithTimeout(ctx, 8*stepTime)
				defer cancel()
			}
			spec := batch.Spec{Prompt: fake.Bytes{}.Encode(nil, prompt), Max: 20}
			streams, err := h.engine.Submit(ctx, spec, spec)
			for _, s := range streams {
				var ids []int32
				if ids, err = read(ctx, s); err == nil && !slices.Equal(ids, want[prompt]) {
					t.Errorf("%q gave %v, alone %v", prompt, ids, want[prompt])
				}
			}
			mu.Lock()
			defer mu.Unlock()
			var p *PanicError
			switch {
			case errors.As(err, &p):
				failed++
			case err != nil && ctx.Err() == nil:
				t.Errorf("%q: %v", prompt, err)
			}
		})
	}
	wg.Wait()
	return failed
}

func read(ctx context.Context, s *Stream) (ids []int32, err error) {
	for e, err := range s.Events(ctx) {
		if err != nil {
			return ids, err
		}
		if e.Token >= 0 {
			ids = append(ids, e.Token)
		}
	}
	return ids, nil
}

// TestPanicsAreContained: whatever panics, at whichever use, costs requests of
// that moment at most. Afterwards all is well, and nothing is left behind.
func TestPanicsAreContained(t *testing.T) {
	want := map[string][]int32{}
	for i := range 4 {
		prompt := fmt.Sprint("prompt ", i, " and more of it")
		want[prompt] = alone(t, prompt, 20)
	}
	for _, c := range []struct {
		place place
		costs bool // an answer, at all
		uses  int  // of it in a storm, at least
	}{
		{"Add", true, 8},
		{"Remove", false, 1},
		{"Schedule", true, 20},
		{"Stats", true, 20},
		{"Open", true, 8},
		{"Free", true, 8},
		{"Grow", true, 8},
		{"Publish", true, 8},
		{"Close", true, 8},
		{"Step", false, 20},
		{"Finished", false, 8},
	} {
		t.Run(string(c.place), func(t *testing.T) {
			step := 1
			if testing.Short() {
				step = 5
			}
			for at := 0; at <= c.uses; at += step {
				if !shake(t, c.place, &bomb{at: at}, c.costs, want) && at > 0 {
					t.Errorf("no use %d", at)
				}
			}
		})
	}
}

// shake runs a storm, then a calm, and reports whether the bomb went off.
func shake(t *testing.T, p place, b *bomb, costs bool, want map[string][]int32) (went bool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h, stop := newHouse(t, p, b)
		defer stop()
		failed := h.storm(t, want)
		settle()
		went = h.panics() > 0
		if went != (b.at > 0 && b.uses >= b.at) || h.panics() > 1 {
			t.Errorf("bomb at %d of %d uses: %d panics told", b.at, b.uses, h.panics())
		}
		if failed > 0 && !(went && costs) {
			t.Errorf("bomb at %d: %d answers lost", b.at, failed)
		}
		b.at = 0
		if failed := h.storm(t, want); failed > 0 {
			t.Errorf("after it, %d answers lost", failed)
		}
		settle()
		if n, _ := h.engine.Load(); n != 0 {
			t.Errorf("%d requests left", n)
		}
		if st := h.engine.policy.Stats(); st.Waiting != 0 || st.Running != 0 {
			t.Errorf("the policy still has %+v", st)
		}
		if st := h.cache.Stats(); st.Used != 0 {
			t.Errorf("%d blocks still used", st.Used)
		}
	})
	return went
}
