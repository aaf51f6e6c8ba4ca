package bench_test

import (
	"context"
	"fmt"
	"iter"
	"time"

	"example.com/minillm/bench"
)

// slow stands for a server: it answers with a word every 5 ms.
type slow struct{}

func (slow) Do(ctx context.Context, r bench.Request) iter.Seq2[bench.Piece, error] {
	return func(yield func(bench.Piece, error) bool) {
		for range r.MaxTokens {
			time.Sleep(5 * time.Millisecond)
			if !yield(bench.Piece{Text: "word ", Tokens: 1}, ctx.Err()) {
				return
			}
		}
	}
}

func Example() {
	traces := bench.Run(context.Background(), slow{}, bench.Load{
		Requests: bench.Prompts{Input: bench.Exactly(20), Output: bench.Exactly(4)}.Requests(8),
		Clients:  4,
	})
	s := bench.Summarize(traces, bench.Limits{TTFT: time.Second})
	fmt.Println(s.Answered, "answered,", s.OutputTokens, "tokens,", s.Good, "good,", s.Concurrency, "at once")
	// Output: 8 answered, 32 tokens, 8 good, 4 at once
}

func ExampleArrivals() {
	ramp := bench.Arrivals{Rate: 1, To: 3, Ramp: 4 * time.Second, Fixed: true}
	for _, due := range ramp.Times(6) {
		fmt.Printf("%.2f s\n", due.Seconds())
	}
	// Output:
	// 0.00 s
	// 0.83 s
	// 1.46 s
	// 2.00 s
	// 2.47 s
	// 2.90 s
}
