package simd_test

import (
	"fmt"

	"example.com/minillm/internal/simd"
)

// A query over three positions, whose keys and values are packed as they are
// computed. The first key is the query's direction, so the first value counts
// most.
func ExampleAttention() {
	const dim, n = 4, 16
	rows := simd.Rows{
		N: n,
		K: make([]int16, n*dim), V: make([]int16, n*dim),
		KS: make([]float32, n), VS: make([]float32, n),
	}
	keys := [][]float32{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}}
	values := [][]float32{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}
	for p := range keys {
		rows.KS[p] = simd.PackKey(rows.K, p, keys[p])
		pair := rows.V[p/2*2*dim:][:2*dim]
		rows.VS[p] = simd.PackValue(pair, p%2, values[p])
	}

	a := simd.NewAttention(dim, 1)
	a.SetQuery(0, []float32{1, 0, 0, 0}, 1)
	a.See(0, 0, len(keys))
	state := make([]float32, a.StateSize())
	a.States(state, 1, rows)
	out := make([]float32, dim)
	a.Finish(out, state)
	fmt.Printf("%.2f\n", out)
	// Output: [0.79 0.11 0.11 0.00]
}
