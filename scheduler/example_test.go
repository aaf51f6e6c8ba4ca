package scheduler_test

import (
	"fmt"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/paged"
	"example.com/minillm/scheduler"
)

// A long and a short prompt come together. No step computes more than 32 tokens;
// the short one starts at once.
func Example() {
	cache, err := paged.New(fake.Shape, paged.Options{Positions: 256, Block: 16})
	if err != nil {
		panic(err)
	}
	policy := scheduler.New(cache, scheduler.Config{MaxTokens: 32})
	runner := batch.NewRunner(&fake.Model{})

	name := map[*batch.Sequence]string{}
	for _, n := range []int{80, 6} {
		s := batch.NewSequence(batch.Spec{Prompt: make([]int32, n), Max: 3, Salt: fmt.Sprint(n)})
		if err := policy.Add(s); err != nil {
			panic(err)
		}
		name[s] = fmt.Sprint("prompt of ", n)
	}
	for {
		work := policy.Schedule(time.Now())
		if len(work) == 0 {
			break
		}
		for i, w := range work {
			if i > 0 {
				fmt.Print(", ")
			}
			fmt.Print(name[w.Seq], ": ", w.N)
		}
		fmt.Println()
		if err := runner.Step(work); err != nil {
			panic(err)
		}
	}
	// Output:
	// prompt of 80: 26, prompt of 6: 6
	// prompt of 80: 31, prompt of 6: 1
	// prompt of 80: 23, prompt of 6: 1
	// prompt of 80: 1
	// prompt of 80: 1
}
