package scheduler

import (
	"testing"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/internal/sim"
	"example.com/minillm/kvcache"
)

// cost is that of SmolLM2 135M in 8 bits on two cores of an Emerald Rapids, as sim.Measure saw it.
var cost = sim.Cost{Step: 5 * time.Millisecond, Token: 300 * time.Microsecond, Read: 1400 * time.Nanosecond}

// rush is four chats a second with four system prompts between them.
var rush = sim.Trace{
	Requests: 2000, Rate: 4, Burst: 4, Systems: 4, System: 300, Max: 512, Seed: 1,
	Prompt: sim.Lengths{Median: 100, Sigma: 1.2, Most: 4000},
	Output: sim.Lengths{Median: 80, Sigma: 0.8, Most: 500},
}

func scheduled(cfg Config) func(kvcache.Cache) batch.Policy {
	return func(c kvcache.Cache) batch.Policy { return New(c, cfg) }
}

func simulate(t *testing.T, s sim.System, trace sim.Trace) sim.Report {
	t.Helper()
	r, err := sim.Run(s, trace, cost)
	if err != nil {
		t.Fatal(err)
	}
	if r.Served != trace.Requests || r.Cache.Used != 0 {
		t.Fatalf("%d of %d served, %d blocks still used", r.Served, trace.Requests, r.Cache.Used)
	}
	return r
}

// What the package's comment says of the simulation.
func TestSimulation(t *testing.T) {
	plain := simulate(t, sim.System{Policy: scheduled(Config{}), Blocks: 300, Block: 32}, rush)
	static := simulate(t, sim.System{Policy: func(c kvcache.Cache) batch.Policy { return batch.NewStatic(c, 64) }, Blocks: 300, Block: 32}, rush)
	continuous := simulate(t, sim.System{Policy: func(c kvcache.Cache) batch.Policy { return batch.NewContinuous(c, 64) }, Blocks: 300, Block: 32}, rush)
	whole := simulate(t, sim.System{Policy: scheduled(Config{MaxTokens: 1 << 20, MaxSeqs: 128}), Blocks: 300, Block: 32}, rush)
	private := simulate(t, sim.System{Policy: scheduled(Config{}), Blocks: 300, Block: 32, Private: true}, rush)

	less := func(what string, a, b time.Duration, times float64) {
		t.Helper()
		if float64(a)*times > float64(b) {
			t.Errorf("%s: %v is not %v times less than %v", what, a, times, b)
		}
	}
	less("TTFT p50, scheduled and static", plain.TTFT.Quantile(0.5), static.TTFT.Quantile(0.5), 20)
	less("TTFT p50, scheduled and continuous", plain.TTFT.Quantile(0.5), continuous.TTFT.Quantile(0.5), 5)
	less("TTFT p50, chunked and whole prompts", plain.TTFT.Quantile(0.5), whole.TTFT.Quantile(0.5), 1.4)
	less("ITL p99, chunked and whole prompts", plain.ITL.Quantile(0.99), whole.ITL.Quantile(0.99), 2)
	less("TTFT p50, shared and private", plain.TTFT.Quantile(0.5), private.TTFT.Quantile(0.5), 50)
	if plain.HitRate() < 0.5 || private.HitRate() != 0 {
		t.Errorf("hit rates %.2f and %.2f", plain.HitRate(), private.HitRate())
	}
}

// The budget bounds the gap between tokens, and little else.
func TestSimulationOfTheBudget(t *testing.T) {
	small := simulate(t, sim.System{Policy: scheduled(Config{MaxTokens: 128}), Blocks: 300, Block: 32}, rush)
	large := simulate(t, sim.System{Policy: scheduled(Config{MaxTokens: 512}), Blocks: 300, Block: 32}, rush)
	if a, b := small.Throughput(), large.Throughput(); a < 0.97*b || b < 0.97*a {
		t.Errorf("%.0f and %.0f tok/s", a, b)
	}
	if a, b := small.ITL.Quantile(0.99), large.ITL.Quantile(0.99); 2*a > b {
		t.Errorf("ITL p99 %v and %v", a, b)
	}
}

// A watermark trades a few places for most of the preemptions.
func TestSimulationOfTheWatermark(t *testing.T) {
	long := rush
	long.Output.Median = 400
	with := simulate(t, sim.System{Policy: scheduled(Config{}), Blocks: 256, Block: 32}, long)
	without := simulate(t, sim.System{Policy: scheduled(Config{Watermark: -1}), Blocks: 256, Block: 32}, long)
	if with.Preempted*3 > without.Preempted || with.Throughput() < 1.05*without.Throughput() {
		t.Errorf("%d preemptions and %.0f tok/s with, %d and %.0f without",
			with.Preempted, with.Throughput(), without.Preempted, without.Throughput())
	}
	if without.Regained*2 < without.Lost {
		t.Errorf("of %d lost tokens %d were found again", without.Lost, without.Regained)
	}
}
