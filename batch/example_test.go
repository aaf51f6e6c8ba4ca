package batch_test

import (
	"context"
	"fmt"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
)

// Three requests share every step. Here a scripted model answers; with
// *transformer.Model in its place nothing else changes.
func Example() {
	model := &fake.Model{Script: fake.Say("hello", 4)}
	cache, err := kvcache.NewContiguous(fake.Shape, 2, 64, kvcache.I16)
	if err != nil {
		panic(err)
	}
	policy := batch.NewContinuous(cache, 2)

	var seqs []*batch.Sequence
	for max := 3; max <= 5; max++ {
		s := batch.NewSequence(batch.Spec{Prompt: fake.Bytes{}.Encode(nil, "say:"), Max: max})
		if err := policy.Add(s); err != nil {
			panic(err)
		}
		seqs = append(seqs, s)
	}
	if err := batch.Run(context.Background(), batch.NewRunner(model), policy); err != nil {
		panic(err)
	}
	for _, s := range seqs {
		fmt.Printf("%s %v\n", fake.Bytes{}.Decode(nil, s.Output()...), s.Finish())
	}
	fmt.Println(model.Steps, "steps")
	// Output:
	// hel length
	// hell length
	// hello length
	// 8 steps
}

// Schedule, look, Step: a server's loop does more between the two.
func ExamplePolicy() {
	cache, err := kvcache.NewContiguous(fake.Shape, 1, 64, kvcache.I16)
	if err != nil {
		panic(err)
	}
	var policy batch.Policy = batch.NewStatic(cache, 1)
	runner := batch.NewRunner(&fake.Model{Script: fake.Say("ok", 3)})

	s := batch.NewSequence(batch.Spec{Prompt: []int32{1, 2, 3}, Stop: []int32{fake.EOS}})
	if err := policy.Add(s); err != nil {
		panic(err)
	}
	for work := policy.Schedule(time.Now()); len(work) > 0; work = policy.Schedule(time.Now()) {
		fmt.Println(work[0].N, "tokens after", s.Computed())
		if err := runner.Step(work); err != nil {
			panic(err)
		}
	}
	fmt.Println(s.Output(), s.Finish())
	// Output:
	// 3 tokens after 0
	// 1 tokens after 3
	// 1 tokens after 4
	// [111 107 257] stop
}
