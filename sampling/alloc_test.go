//go:build !race

package sampling

import (
	"math/rand/v2"
	"testing"
)

// Not under the race detector, which makes sync.Pool drop things at random.
func TestSampleDoesNotAllocate(t *testing.T) {
	row := randomRow(rand.New(rand.NewPCG(9, 10)), 5000)
	history := []int32{1, 2, 3, 4, 5}
	for _, p := range []Params{
		{}, {Temperature: 1}, {Temperature: 1, TopK: 50}, {Temperature: 1, TopP: 0.9}, {Temperature: 0.7, TopK: 40, TopP: 0.9, MinP: 0.05},
		{RepetitionPenalty: 1.1, Bias: map[int32]float32{7: 1}},
	} {
		s := mustNew(t, p)
		n := testing.AllocsPerRun(100, func() {
			if _, err := s.Sample(row, history, 2); err != nil {
				t.Fatal(err)
			}
		})
		if n >= 1 {
			t.Errorf("%+v: %v allocations", p, n)
		}
	}
}
