package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
	"example.com/minillm/transformer"
)

const stepTime = 10 * time.Millisecond

// start runs an engine over a fake model whose steps take stepTime, for at
// most 4 sequences of 64 positions. Its loop ends with the test.
func start(t *testing.T, m *fake.Model, o Options) *Engine {
	t.Helper()
	if m.Cost == nil {
		m.Cost = func([]transformer.Chunk) time.Duration { return stepTime }
	}
	cache, err := kvcache.NewContiguous(fake.Shape, 4, 64, kvcache.I16)
	if err != nil {
		t.Fatal(err)
	}
	e := New(batch.NewRunner(m), batch.NewContinuous(cache, 4), o)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); e.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		<-done
		if n, _ := e.Load(); n != 0 {
			t.Errorf("%d requests left at the end", n)
		}
		if cache.Free() != 4*64 {
			t.Errorf("%d positions free at the end, want %d", cache.Free(), 4*64)
		}
	})
	return e
}

func ask(e *Engine, prompt string, n int) (*Stream, error) {
	streams, err := e.Submit(context.Background(), batch.Spec{Prompt: fake.Bytes{}.Encode(nil, prompt), Max: n})
	if err != nil {
		return nil, err
	}
	return streams[0], nil
}

func tokens(s *Stream) (ids []int32, last Event, err error) {
	for e, err := range s.Events(context.Background()) {
		if err != nil {
			return ids, e, err
		}
		if e.Token >= 0 {
			ids = append(ids, e.Token)
		}
		last = e
	}
	return ids, last, nil
}

// settle waits until the engine has nothing left to do, and makes what its
// loop wrote safe to read.
func settle() {
	time.Sleep(time.Minute)
	synctest.Wait()
}

// alone is what a prompt gives with nothing beside it.
func alone(t *testing.T, prompt string, n int) (ids []int32) {
	synctest.Test(t, func(t *testing.T) {
		s, err := ask(start(t, &fake.Model{}, Options{}), prompt, n)
		if err != nil {
			t.Fatal(err)
		}
		ids, _, _ = tokens(s)
	})
	return ids
}

func TestManyTogetherEqualAlone(t *testing.T) {
	want := map[int][]int32{}
	for i := range 12 {
		want[i] = alone(t, fmt.Sprint("prompt ", i), 3+i)
	}
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &fake.Model{}, Options{})
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				s, err := ask(e, fmt.Sprint("prompt ", i), 3+i)
				if err != nil {
					t.Error(err)
					return
				}
				got, last, err := tokens(s)
				if err != nil || !slices.Equal(got, want[i]) {
					t.Errorf("request %d: got %v, %v; alone %v", i, got, err, want[i])
				}
				if last.Finish != batch.Length || last.Usage.CompletionTokens != 3+i {
					t.Errorf("request %d ended with %+v", i, last)
				}
			})
		}
		wg.Wait()
	})
}

func TestTiming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := ask(start(t, &fake.Model{}, Options{}), "hello", 5)
		if err != nil {
			t.Fatal(err)
		}
		_, last, err := tokens(s)
		if err != nil {
			t.Fatal(err)
		}
		if want := (Timing{Queued: 0, TTFT: stepTime, Total: 5 * stepTime}); *last.Timing != want {
			t.Errorf("timing %+v, want %+v", *last.Timing, want)
		}
	})
}

func TestSlowReaderHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &fake.Model{}, Options{})
		slow, err := ask(e, "slow", 40)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		fast, err := ask(e, "fast", 10)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := tokens(fast); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begin); d > 12*stepTime {
			t.Errorf("10 tokens took %v beside a stream that nobody reads", d)
		}
		time.Sleep(time.Second)
		if ids, _, err := tokens(slow); len(ids) != 40 || err != nil {
			t.Errorf("the slow reader got %d tokens, %v", len(ids), err)
		}
	})
}

func TestCancel(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
	}{{"before it starts", 0}, {"in the first step", stepTime / 2}, {"while decoding", 5*stepTime + stepTime/2}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &fake.Model{}
				e := start(t, m, Options{})
				s, err := ask(e, "hello", 60)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(context.Background(), c.after)
				defer cancel()
				for _, err = range s.Events(ctx) {
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("stream ended with %v", err)
				}
				settle()
				if n, _ := e.Load(); n != 0 {
					t.Errorf("%d requests after the cancellation", n)
				}
				if most := int(c.after/stepTime) + 2; m.Steps > most {
					t.Errorf("%d steps computed, want at most %d", m.Steps, most)
				}
			})
		})
	}
}

func TestLeavingTheLoopCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fake.Model{}
		s, err := ask(start(t, m, Options{}), "hello", 60)
		if err != nil {
			t.Fatal(err)
		}
		for range s.Events(context.Background()) {
			break
		}
		settle()
		if m.Steps > 3 {
			t.Errorf("%d steps after the reader left at the first token", m.Steps)
		}
	})
}

func TestSubmitRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &fake.Model{}, Options{MaxWaiting: 6})
		if _, err := ask(e, "", 1); !errors.Is(err, batch.ErrEmpty) {
			t.Errorf("empty prompt: %v", err)
		}
		if _, err := ask(e, string(make([]byte, 65)), 1); !errors.Is(err, batch.ErrTooLong) {
			t.Errorf("prompt longer than the cache: %v", err)
		}
		var streams []*Stream
		var busy int
		for range 20 {
			switch s, err := ask(e, "hello", 50); {
			case errors.Is(err, ErrBusy):
				busy++
			case err != nil:
				t.Fatal(err)
			default:
				streams = append(streams, s)
			}
		}
		if len(streams) != 10 || busy != 10 {
			t.Errorf("%d taken, %d refused; want 4 running and 6 waiting", len(streams), busy)
		}
		for _, s := range streams {
			if ids, _, err := tokens(s); len(ids) != 50 || err != nil {
				t.Errorf("a request that was taken got %d tokens, %v", len(ids), err)
			}
		}
	})
}

func TestSubmitGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &fake.Model{Cost: func([]transformer.Chunk) time.Duration { return time.Minute }}, Options{})
		if _, err := ask(e, "long step", 1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // in the step
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := e.Submit(ctx, batch.Spec{Prompt: []int32{1}}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Submit: %v", err)
		}
		time.Sleep(3 * time.Minute)
	})
}

func TestStepFailureCostsOnlyItsRequests(t *testing.T) {
	for _, c := range []struct {
		name string
		fail func() error
	}{
		{"error", func() error { return errors.New("no weights") }},
		{"panic", func() error { panic("no weights") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var broken atomic.Bool
				e := start(t, &fake.Model{Step: func([]transformer.Chunk) error {
					if broken.CompareAndSwap(true, false) {
						return c.fail()
					}
					return nil
				}}, Options{})
				s, err := ask(e, "hello", 20)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(5*stepTime + stepTime/2)
				broken.Store(true)
				if ids, _, err := tokens(s); err == nil || len(ids) == 20 {
					t.Errorf("%d tokens and no error from a step that failed", len(ids))
				}
				s, err = ask(e, "hello", 20)
				if err != nil {
					t.Fatal(err)
				}
				if ids, _, err := tokens(s); len(ids) != 20 || err != nil {
					t.Errorf("the next request got %d tokens, %v", len(ids), err)
				}
			})
		})
	}
}

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &fake.Model{}, Options{})
		s, err := ask(e, "hello", 20)
		if err != nil {
			t.Fatal(err)
		}
		e.Drain()
		if _, err := ask(e, "late", 1); !errors.Is(err, ErrClosed) {
			t.Errorf("a request after Drain: %v", err)
		}
		if ids, _, err := tokens(s); len(ids) != 20 || err != nil {
			t.Errorf("the running request got %d tokens, %v", len(ids), err)
		}
	})
}

func TestStopEndsStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache, err := kvcache.NewContiguous(fake.Shape, 1, 64, kvcache.I16)
		if err != nil {
			t.Fatal(err)
		}
		e := New(batch.NewRunner(&fake.Model{Cost: func([]transformer.Chunk) time.Duration { return stepTime }}), batch.NewContinuous(cache, 1), Options{})
		ctx, stop := context.WithTimeout(context.Background(), 5*stepTime+1)
		defer stop()
		go e.Run(ctx)
		running, err := ask(e, "a", 60)
		if err != nil {
			t.Fatal(err)
		}
		waiting, err := ask(e, "b", 60)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Stream{running, waiting} {
			if _, _, err := tokens(s); !errors.Is(err, ErrClosed) {
				t.Errorf("stream ended with %v", err)
			}
		}
		if _, err := ask(e, "c", 1); !errors.Is(err, ErrClosed) {
			t.Errorf("a request after the end: %v", err)
		}
	})
}

func TestChoicesJoinWhenThePromptIsComputed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var widths []int
		m := &fake.Model{Step: func(b []transformer.Chunk) error { widths = append(widths, len(b)); return nil }}
		e := start(t, m, Options{})
		spec := batch.Spec{Prompt: []int32{1, 2, 3}, Max: 4}
		streams, err := e.Submit(context.Background(), spec, spec, spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range streams {
			if ids, _, err := tokens(s); len(ids) != 4 || err != nil {
				t.Errorf("a choice got %d tokens, %v", len(ids), err)
			}
		}
		if want := []int{1, 3, 3, 3, 2}; !slices.Equal(widths, want) {
			t.Errorf("sequences in each step %v, want %v", widths, want)
		}
	})
}

func TestDeadlineWhileQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, &fake.Model{}, Options{})
		for range 4 {
			if _, err := ask(e, "hello", 50); err != nil {
				t.Fatal(err)
			}
		}
		streams, err := e.Submit(context.Background(), batch.Spec{Prompt: []int32{1}, Deadline: time.Now().Add(5 * stepTime)})
		if err != nil {
			t.Fatal(err)
		}
		if _, last, err := tokens(streams[0]); last.Finish != batch.Timeout || err != nil {
			t.Errorf("ended with %v, %v; want a timeout", last.Finish, err)
		}
		time.Sleep(time.Second)
	})
}
