package sim_test

import (
	"fmt"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/internal/sim"
	"example.com/minillm/kvcache"
)

// Ten requests come at once, one place is there: the last one waits for nine.
func Example() {
	trace := sim.Trace{
		Requests: 10, Rate: 1, Burst: 10, Max: 5,
		Prompt: sim.Lengths{Median: 10, Most: 10}, Output: sim.Lengths{Median: 5, Most: 5},
	}
	one := sim.System{
		Policy: func(c kvcache.Cache) batch.Policy { return batch.NewContinuous(c, 1) },
		Blocks: 10, Block: 32,
	}
	r, err := sim.Run(one, trace, sim.Cost{Step: 10 * time.Millisecond, Token: time.Millisecond})
	if err != nil {
		panic(err)
	}
	// A prompt takes 20 ms, each further token 11.
	fmt.Println(r.Served, "served,", r.Output, "tokens in", r.Steps, "steps")
	fmt.Println("the last first token after", r.TTFT.Quantile(1).Round(10*time.Millisecond))
	// Output:
	// 10 served, 50 tokens in 50 steps
	// the last first token after 600ms
}
