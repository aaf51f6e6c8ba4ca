package sim

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/kvcache"
	"example.com/minillm/scheduler"
	"example.com/minillm/transformer"
)

const ms = time.Millisecond

func continuous(n int) func(kvcache.Cache) batch.Policy {
	return func(c kvcache.Cache) batch.Policy { return batch.NewContinuous(c, n) }
}

func TestCost(t *testing.T) {
	c := Cost{Step: 10 * ms, Token: ms, Read: time.Microsecond}
	batch := []transformer.Chunk{{Tokens: make([]int32, 1), Pos: 99}, {Tokens: make([]int32, 17), Pos: 3}}
	if got, want := c.Of(batch), 10*ms+18*ms+(100+3*20)*time.Microsecond; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// One request that can be computed by hand.
func TestRunByHand(t *testing.T) {
	trace := Trace{Requests: 1, Rate: 1, Prompt: Lengths{Median: 4, Most: 4}, Output: Lengths{Median: 3, Most: 3}, Max: 9}
	r, err := Run(System{Policy: continuous(1), Blocks: 4, Block: 32}, trace, Cost{Step: 10 * ms, Token: ms})
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string][2]time.Duration{
		"TTFT": {r.TTFT.Quantile(0.5), 14 * ms}, "ITL": {r.ITL.Quantile(0.5), 11 * ms},
	} {
		if math.Abs(float64(x[0]-x[1])) > 0.01*float64(x[1]) {
			t.Errorf("%s %v, want %v", name, x[0], x[1])
		}
	}
	if r.Served != 1 || r.Output != 3 || r.Steps != 3 || r.Computed != 4+2 || r.TTFT.N() != 1 || r.ITL.N() != 2 {
		t.Errorf("%d served, %d tokens of %d computed in %d steps", r.Served, r.Output, r.Computed, r.Steps)
	}
}

func TestTraceIsWhatItSays(t *testing.T) {
	trace := Trace{
		Requests: 20_000, Rate: 50, Burst: 4, Seed: 3, Tenants: 3,
		Prompt: Lengths{Median: 100, Sigma: 1, Most: 4000}, Output: Lengths{Median: 50, Sigma: 0.5, Most: 500}, Max: 300,
	}
	var last Request
	above, together, tenants := 0, 0, map[int]int{}
	for r := range trace.All() {
		if r.At < last.At {
			t.Fatal("time runs backwards")
		}
		if r.At == last.At {
			together++
		}
		if r.Prompt > 100 {
			above++
		}
		if r.Prompt < 1 || r.Prompt > 4000 || r.Output < 1 || r.Output > 300 {
			t.Fatalf("%+v", r)
		}
		tenants[r.Tenant]++
		last = r
	}
	if rate := 20_000 / last.At.Seconds(); math.Abs(rate-50) > 2.5 {
		t.Errorf("%.1f a second", rate)
	}
	if part := float64(above) / 20_000; math.Abs(part-0.5) > 0.02 {
		t.Errorf("%.2f of the prompts are above the median", part)
	}
	if together != 15_000 || len(tenants) != 3 {
		t.Errorf("%d came together, %v", together, tenants)
	}
}

func TestQuantiles(t *testing.T) {
	var times Times
	for i := range 1000 {
		times.add(time.Duration(i+1) * ms)
	}
	last := time.Duration(0)
	for _, p := range []float64{0.01, 0.5, 0.9, 0.99, 1} {
		got, want := times.Quantile(p), time.Duration(1000*p)*ms
		if math.Abs(float64(got-want)) > 0.011*float64(want) || got < last {
			t.Errorf("quantile %v: %v, want %v", p, got, want)
		}
		last = got
	}
}

func TestMemoryIsBackAndNobodyIsLost(t *testing.T) {
	trace := Trace{
		Requests: 500, Rate: 40, Burst: 10, Systems: 2, System: 100, Tenants: 4,
		Prompt: Lengths{Median: 60, Sigma: 1, Most: 3000}, Output: Lengths{Median: 60, Sigma: 1, Most: 400}, Max: 400,
	}
	tight := func(c kvcache.Cache) batch.Policy { return scheduler.New(c, scheduler.Config{}) }
	r, err := Run(System{Name: "tight", Policy: tight, Blocks: 24, Block: 32}, trace, Cost{Step: 5 * ms, Token: ms / 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Served+r.Refused != 500 || r.Refused == 0 || r.Cache.Used != 0 || r.Preempted == 0 {
		t.Errorf("%d served, %d refused, %d preempted, %+v", r.Served, r.Refused, r.Preempted, r.Cache)
	}
	var out strings.Builder
	if err := Table(&out, []Report{r}); err != nil || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// slow is a model whose steps take as long as a cost says.
type slow struct{ cost Cost }

func (m slow) VocabSize() int { return 1 }

func (m slow) Forward(batch []transformer.Chunk) error {
	time.Sleep(m.cost.Of(batch))
	return nil
}

func TestMeasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := Cost{Step: 5 * ms, Token: ms / 2, Read: time.Microsecond}
		got, err := Measure(slow{want}, shape, 1000, 3)
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range map[string][2]time.Duration{
			"step": {got.Step, want.Step}, "token": {got.Token, want.Token}, "read": {got.Read, want.Read},
		} {
			if math.Abs(float64(x[0]-x[1])) > 0.03*float64(x[1]) {
				t.Errorf("%s: %v, want %v", name, x[0], x[1])
			}
		}
	})
}
