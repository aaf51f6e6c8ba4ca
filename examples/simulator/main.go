// Simulator compares policies on thousands of requests in virtual time: the real
// scheduler and block allocator, and a model whose steps take as long as a
// measured one's. It prints a table and draws the time to the first token.
//
//	go run ./examples/simulator [--model FILE.gguf]
//	go run ./examples/simulator --requests 100000 --blocks 1000000 --rate 6
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/examples/internal/open"
	"example.com/minillm/internal/sim"
	"example.com/minillm/kvcache"
	"example.com/minillm/scheduler"
)

func main() {
	trace := sim.Trace{
		Prompt: sim.Lengths{Sigma: 1.2, Most: 4000},
		Output: sim.Lengths{Sigma: 0.8, Most: 500}, Max: 512,
	}
	var cost sim.Cost
	flag.IntVar(&trace.Requests, "requests", 2000, "how many arrive")
	flag.Float64Var(&trace.Rate, "rate", 4, "requests a second")
	flag.IntVar(&trace.Burst, "burst", 4, "so many arrive together; 1: each by itself, as a Poisson process")
	flag.IntVar(&trace.Systems, "systems", 4, "different system prompts; 0: none")
	flag.IntVar(&trace.System, "system", 300, "tokens of a system prompt")
	flag.IntVar(&trace.Prompt.Median, "prompt", 100, "median tokens of a prompt, beside the system's")
	flag.IntVar(&trace.Output.Median, "output", 80, "median tokens of an answer")
	flag.Uint64Var(&trace.Seed, "seed", 1, "of the requests")
	flag.DurationVar(&cost.Step, "step", 5*time.Millisecond, "time of a step")
	flag.DurationVar(&cost.Token, "token", 300*time.Microsecond, "time of a token in a step")
	flag.DurationVar(&cost.Read, "read", 1400*time.Nanosecond, "time of a position that is read")
	model := flag.String("model", "", "model file whose steps are measured, instead of the three times above")
	blocks := flag.Int("blocks", 300, "blocks of memory, of 32 positions each")
	plot := flag.String("plot", "", "file for a picture, such as ttft.svg")
	flag.Parse()

	if *model != "" {
		cost = measure(*model)
	}
	reports, err := compare(os.Stdout, *blocks, trace, cost)
	open.Check(err)
	if *plot != "" {
		open.Check(draw(*plot, reports))
	}
}

// measure returns the cost of a model's steps on this machine.
func measure(path string) sim.Cost {
	m, _, err := open.Random(path)
	open.Check(err)
	defer m.Close()
	cost, err := sim.Measure(m, m.Shape(), min(2048, m.Context()-1), 25)
	open.Check(err)
	return cost
}

// systems are what is compared.
func systems(blocks int) []sim.System {
	scheduled := func(cfg scheduler.Config) func(kvcache.Cache) batch.Policy {
		return func(c kvcache.Cache) batch.Policy { return scheduler.New(c, cfg) }
	}
	static := func(c kvcache.Cache) batch.Policy { return batch.NewStatic(c, 64) }
	continuous := func(c kvcache.Cache) batch.Policy { return batch.NewContinuous(c, 64) }
	return []sim.System{
		{Name: "static", Policy: static, Blocks: blocks, Block: 32},
		{Name: "continuous", Policy: continuous, Blocks: blocks, Block: 32},
		{Name: "scheduled, whole prompts", Policy: scheduled(scheduler.Config{MaxTokens: 1 << 20, MaxSeqs: 128}), Blocks: blocks, Block: 32},
		{Name: "scheduled, nothing shared", Policy: scheduled(scheduler.Config{}), Blocks: blocks, Block: 32, Private: true},
		{Name: "scheduled, no watermark", Policy: scheduled(scheduler.Config{Watermark: -1}), Blocks: blocks, Block: 32},
		{Name: "scheduled", Policy: scheduled(scheduler.Config{}), Blocks: blocks, Block: 32},
	}
}

func compare(w io.Writer, blocks int, trace sim.Trace, cost sim.Cost) (reports []sim.Report, err error) {
	fmt.Fprintf(w, "%d requests, %v a second, %d blocks; %v\n\n", trace.Requests, trace.Rate, blocks, cost)
	for _, s := range systems(blocks) {
		r, err := sim.Run(s, trace, cost)
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, sim.Table(w, reports)
}
