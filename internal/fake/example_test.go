package fake_test

import (
	"context"
	"fmt"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
)

// A script says what the model says; everything around it is real.
func Example() {
	cache, err := kvcache.NewContiguous(fake.Shape, 1, 64, kvcache.F32)
	if err != nil {
		panic(err)
	}
	prompt := fake.Bytes{}.Encode(nil, "knock knock")
	model := &fake.Model{Script: fake.Say(" who is there?", len(prompt))}
	seq := batch.NewSequence(batch.Spec{Prompt: prompt, Max: 20, Stop: []int32{fake.EOS}})
	policy := batch.NewContinuous(cache, 1)
	if err := policy.Add(seq); err != nil {
		panic(err)
	}
	if err := batch.Run(context.Background(), batch.NewRunner(model), policy); err != nil {
		panic(err)
	}
	fmt.Printf("%q %v, %d steps\n", fake.Bytes{}.Decode(nil, seq.Output()...), seq.Finish(), model.Steps)
	// Output: " who is there?" stop, 15 steps
}
