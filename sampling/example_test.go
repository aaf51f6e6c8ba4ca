package sampling_test

import (
	"fmt"

	"example.com/minillm/sampling"
)

func Example() {
	logits := []float32{1.0, 3.0, 2.5, -1.0} // one for each token of a small vocabulary
	greedy, _ := sampling.New(sampling.Params{})
	id, _ := greedy.Sample(logits, nil, 0)
	fmt.Println("greedy:", id)

	random, _ := sampling.New(sampling.Params{Temperature: 0.8, TopK: 3, Seed: 1})
	history := []int32{0} // the prompt; what is chosen joins it
	for range 5 {
		id, _ := random.Sample(logits, history, 1)
		history = append(history, id)
	}
	fmt.Println("random:", history[1:])
	// Output:
	// greedy: 1
	// random: [1 2 0 2 1]
}

// Every stage works by itself, on any row.
func Example_stages() {
	logits := []float32{1.0, 3.0, 2.5, -1.0}
	sampling.TopK(logits, 3)
	sampling.Temperature(logits, 0.5)
	sampling.TopP(logits, 0.95)

	probs := make([]float32, len(logits))
	sampling.Softmax(probs, logits)
	fmt.Printf("%.3f\n", probs)
	// Output:
	// [0.000 0.731 0.269 0.000]
}

func ExampleLogprobs() {
	logits := []float32{1.0, 3.0, 2.5, -1.0}
	for _, l := range sampling.Logprobs(nil, logits, 0, 2) {
		fmt.Printf("%d %.2f\n", l.ID, l.Logprob)
	}
	// Output:
	// 0 -2.57
	// 1 -0.57
	// 2 -1.07
}
