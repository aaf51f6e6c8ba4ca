package par_test

import (
	"fmt"

	"example.com/minillm/internal/par"
)

// Two passes over one slice in a single region: the second needs all of the
// first.
func Example() {
	team := par.NewTeam(2)
	defer team.Close()

	squares := make([]int, 10)
	sums := make([]int, 2)
	team.Run(func(w *par.Worker) {
		lo, hi := w.Share(len(squares), 1)
		for i := lo; i < hi; i++ {
			squares[i] = i * i
		}
		w.Barrier()
		for i := w.ID; i < len(squares); i += w.N {
			sums[w.ID] += squares[i]
		}
	})
	fmt.Println(sums)
	// Output: [120 165]
}
