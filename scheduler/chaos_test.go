package scheduler

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
	"example.com/minillm/sampling"
)

var schedules = flag.Int("schedules", 2000, "how many random schedules to play")

// spoilt begins a prompt whose rows hold a NaN.
const spoilt = 31

// chaos is a scheduler over a paged cache and, beside it, one over the naive
// cache. A script of bytes adds, steps, cancels and lets time pass; the plans of
// both and all that must hold are compared after every step.
type chaos struct {
	t      *testing.T
	script []byte
	now    time.Time
	sides  [2]side
	alone  map[string][]int32
	limit  int
	free   int
}

// side is one of the two, with the same sequences in the same order.
type side struct {
	cache  kvcache.Cache
	sched  *Scheduler
	runner *batch.Runner
	seqs   []*batch.Sequence
	seen   [][]int32 // of their output
}

// next returns a number below n from the script; 0 when it is at its end.
func (c *chaos) next(n int) int {
	if len(c.script) == 0 {
		return 0
	}
	x := int(c.script[0])
	c.script = c.script[1:]
	return x % n
}

func model() *fake.Model { return &fake.Model{Vocab: spoilt + 1, Row: fake.NaN(spoilt)} }

func newChaos(t *testing.T, script []byte, alone map[string][]int32) *chaos {
	c := &chaos{t: t, script: script, now: time.Unix(0, 0), alone: alone}
	blocks := 2 + c.next(10)
	cfg := Config{
		MaxSeqs: 1 + c.next(6), MaxTokens: 1 + c.next(40), Watermark: 16*c.next(3) - 1,
		Aging: time.Duration(c.next(4)) * time.Second, QueueTimeout: time.Duration(c.next(3)) * 20 * time.Second,
	}
	for i, cache := range []kvcache.Cache{pages(t, blocks*16, 16), newNaive(t, blocks, 16)} {
		c.sides[i] = side{cache: cache, sched: New(cache, cfg), runner: batch.NewRunner(model())}
	}
	c.limit, c.free = blocks*16, c.sides[0].cache.Free()
	return c
}

// run plays the script and then steps until nothing is left.
func (c *chaos) run() {
	for len(c.script) > 0 {
		switch c.next(8) {
		case 0, 1:
			c.add()
		case 2:
			c.cancel()
		case 3:
			c.now = c.now.Add(time.Duration(c.next(8)) * time.Second)
		default:
			c.step()
		}
	}
	for left := 5000; c.step(); left-- {
		if left == 0 {
			c.t.Fatal("no end")
		}
	}
	c.finish()
}

func (c *chaos) add() {
	spec := batch.Spec{
		Prompt: make([]int32, c.next(70)), Max: 1 + c.next(30),
		Priority: c.next(40)/10 - 1, Tenant: string(rune('a' + c.next(3))), Weight: float64(c.next(3)),
		Salt: string(rune('a' + c.next(8)/7)), NoCache: c.next(16) == 15, PromptLogprobs: c.next(16) == 15,
	}
	family := c.next(4) // prompts of a family begin alike
	for i := range spec.Prompt {
		spec.Prompt[i] = int32(hash(family, i) % spoilt)
	}
	if n := len(spec.Prompt); n > 0 && c.next(12) == 11 {
		spec.Prompt[0] = spoilt
	}
	if c.next(8) == 7 {
		spec.Deadline = c.now.Add(time.Duration(1+c.next(30)) * time.Second)
	}
	for i := range c.sides {
		s := &c.sides[i]
		seq := batch.NewSequence(spec)
		err := s.sched.Add(seq)
		switch n := len(spec.Prompt); {
		case n == 0 && !errors.Is(err, batch.ErrEmpty), n > c.limit && !errors.Is(err, batch.ErrTooLong):
			c.t.Fatalf("prompt of %d, limit %d: %v", n, c.limit, err)
		case n > 0 && n <= c.limit && err != nil:
			c.t.Fatal(err)
		case err == nil:
			s.seqs, s.seen = append(s.seqs, seq), append(s.seen, nil)
		}
	}
}

func (c *chaos) cancel() {
	if n := len(c.sides[0].seqs); n > 0 {
		for i, at := 0, c.next(n); i < len(c.sides); i++ {
			s := &c.sides[i]
			s.sched.Remove(s.seqs[at])
			s.sched.Remove(s.seqs[at]) // again: nothing happens
		}
	}
}

// step plans and computes one step on both sides and compares them.
func (c *chaos) step() bool {
	plans := [2]string{}
	for i := range c.sides {
		s := &c.sides[i]
		work := s.sched.Schedule(c.now)
		plans[i] = fmt.Sprintf("free %d, %+v:", s.cache.Free(), s.sched.Stats())
		for _, w := range work {
			plans[i] += fmt.Sprintf(" %d+%d", slices.Index(s.seqs, w.Seq), w.N)
		}
		c.sound(s, work)
		c.tidy(&s.sched.queue)
		if err := s.runner.Step(work); err != nil {
			c.t.Fatal(err)
		}
		c.streams(s)
	}
	if plans[0] != plans[1] {
		c.t.Fatalf("paged and naive differ:\n%s\n%s", plans[0], plans[1])
	}
	c.now = c.now.Add(time.Second)
	st := c.sides[0].sched.Stats()
	return st.Waiting+st.Running > 0
}

// sound checks what must hold of every plan.
func (c *chaos) sound(s *side, work []batch.Work) {
	st, tokens, first := s.sched.Stats(), 0, true
	if st.Waiting > 0 && st.Running == 0 {
		c.t.Fatalf("somebody waits while nothing runs: %+v", st)
	}
	planned := map[*batch.Sequence]int{}
	for _, w := range work {
		if planned[w.Seq] > 0 {
			c.t.Fatal("a sequence twice in a plan")
		}
		planned[w.Seq] += w.N
		tokens += w.N
		if w.N > w.Seq.Pending() || w.N == 0 && w.Seq.Finish() == batch.Running {
			c.t.Fatalf("%d of %d pending tokens of a sequence that is %v", w.N, w.Seq.Pending(), w.Seq.Finish())
		}
	}
	if tokens > s.sched.Config().MaxTokens || st.Running > s.sched.Config().MaxSeqs {
		c.t.Fatalf("%d tokens, %+v", tokens, st)
	}
	for _, it := range s.sched.running {
		if planned[it.seq] == 0 && (first || it.seq.Pending() == 1) {
			c.t.Fatal("the first in the order, or one that decodes, gets nothing")
		}
		first = false
	}
}

// tidy checks that lanes are in order of arrival and heaps in theirs.
func (c *chaos) tidy(q *queue) {
	for i := range q.classes {
		for _, h := range []*heap[*lane]{&q.classes[i].fair, &q.classes[i].age} {
			for j, l := range h.list {
				if h.less(l, h.list[(j+1)/2-min((j+1)/2, 1)]) {
					c.t.Fatal("a heap out of order")
				}
			}
		}
		for _, l := range q.classes[i].age.list {
			for it := l.first; it.next != nil; it = it.next {
				if it.next.order < it.order || it.next.prev != it {
					c.t.Fatal("a lane out of order")
				}
			}
		}
	}
}

// streams checks that output only grows: a preemption repeats nothing.
func (c *chaos) streams(s *side) {
	for i, seq := range s.seqs {
		if n := len(s.seen[i]); n > len(seq.Output()) || !slices.Equal(seq.Output()[:n], s.seen[i]) {
			c.t.Fatalf("output %v after %v", seq.Output(), s.seen[i])
		}
		s.seen[i] = append(s.seen[i], seq.Output()[len(s.seen[i]):]...)
	}
}

// finish checks how everybody ended and that all memory is back.
func (c *chaos) finish() {
	for i := range c.sides {
		s := &c.sides[i]
		for _, seq := range s.seqs {
			c.ended(seq)
		}
		if len(s.sched.items) != 0 || s.sched.queue.n != 0 || len(s.sched.parked) != 0 || len(s.sched.expiry.list) != 0 || len(s.sched.queue.byName) != 0 {
			c.t.Fatalf("left behind: %+v", s.sched)
		}
		if s.cache.Free() != c.free {
			c.t.Fatalf("free %d of %d", s.cache.Free(), c.free)
		}
	}
}

func (c *chaos) ended(seq *batch.Sequence) {
	spec := seq.Spec()
	want := c.want(spec)
	switch seq.Finish() {
	case batch.Failed:
		if spec.Prompt[0] != spoilt || !errors.Is(seq.Err(), sampling.ErrBadLogit) {
			c.t.Fatalf("prompt %v: %v", spec.Prompt, seq.Err())
		}
	case batch.Length:
		if n := min(spec.Max, c.limit+1-len(spec.Prompt)); len(seq.Output()) != n {
			c.t.Fatalf("%d tokens, want %d", len(seq.Output()), n)
		}
	case batch.Cancelled, batch.Timeout:
	default:
		c.t.Fatalf("ended as %v", seq.Finish())
	}
	if !slices.Equal(seq.Output(), want[:len(seq.Output())]) {
		c.t.Fatalf("prompt %v\noutput %v\nalone  %v", spec.Prompt, seq.Output(), want)
	}
	if spec.PromptLogprobs && seq.Finish() == batch.Length && len(seq.PromptLogprobs()) != len(spec.Prompt) {
		c.t.Fatalf("%d of %d prompt tokens scored", len(seq.PromptLogprobs()), len(spec.Prompt))
	}
}

// want returns what the prompt alone, computed at once, would continue with.
func (c *chaos) want(spec *batch.Spec) []int32 {
	k := key(spec.Prompt, "")
	if out, ok := c.alone[k]; ok || spec.Prompt[0] == spoilt {
		return out
	}
	cache, err := kvcache.NewContiguous(fake.Shape, 1, 128, kvcache.I16)
	if err != nil {
		c.t.Fatal(err)
	}
	seq, p := batch.NewSequence(batch.Spec{Prompt: spec.Prompt, Max: 30}), batch.NewStatic(cache, 1)
	if err := p.Add(seq); err != nil {
		c.t.Fatal(err)
	}
	if err := batch.Run(c.t.Context(), batch.NewRunner(model()), p); err != nil {
		c.t.Fatal(err)
	}
	c.alone[k] = seq.Output()
	return seq.Output()
}

func hash(a, b int) uint32 {
	x := uint32(a*7919+b)*2654435761 + 1
	return x ^ x>>15
}

// TestRandomSchedules compares plans, memory and tokens over random scripts.
func TestRandomSchedules(t *testing.T) {
	n, before := *schedules, runtime.NumGoroutine()
	if testing.Short() || raceEnabled {
		n /= 10
	}
	alone := map[string][]int32{}
	for seed := range n {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		script := make([]byte, 20+rng.IntN(300))
		for i := range script {
			script[i] = byte(rng.Uint32())
		}
		newChaos(t, script, alone).run()
	}
	noMoreGoroutines(t, before)
}

// FuzzSchedule looks for scripts that break what TestRandomSchedules checks.
func FuzzSchedule(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte("a preemption needs two long ones and little room, and some luck"))
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) < 2000 {
			newChaos(t, script, map[string][]int32{}).run()
		}
	})
}
