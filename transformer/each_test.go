package transformer

import (
	"sync/atomic"
	"testing"

	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/tiny"
)

func TestEach(t *testing.T) {
	for _, threads := range []int{1, 3} {
		m := loadTiny(t, tiny.Config{Type: quant.Q8_0}, Options{Threads: threads})
		calls := make([]atomic.Int32, 100)
		f := func(i int) { calls[i].Add(1) }
		check := func(n int) {
			t.Helper()
			m.Each(n, f)
			for i := range calls {
				want := int32(0)
				if i < n {
					want = 1
				}
				if got := calls[i].Swap(0); got != want {
					t.Errorf("%d threads, %d calls: %d for %d", threads, n, got, i)
				}
			}
		}
		for _, n := range []int{0, 1, 2, 3, 100} {
			check(n)
		}
		if n := testing.AllocsPerRun(50, func() { m.Each(4, f) }); n != 0 {
			t.Errorf("%d threads: %v allocations", threads, n)
		}
		clear(calls)
		m.Close()
		check(10)
	}
}
