package par

import (
	"fmt"
	"testing"
	"time"
)

func BenchmarkRun(b *testing.B) {
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tm := team(b, n)
			f := func(*Worker) {}
			for b.Loop() {
				tm.Run(f)
			}
		})
	}
}

func BenchmarkBarrier(b *testing.B) {
	const meets = 1000
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tm := team(b, n)
			f := func(w *Worker) {
				for range meets {
					w.Barrier()
				}
			}
			for b.Loop() {
				tm.Run(f)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/meets, "ns/barrier")
		})
	}
}

// BenchmarkWake is the time from Run to the first statement of a worker that
// has been parked, while the caller goes on.
func BenchmarkWake(b *testing.B) {
	tm := team(b, 2)
	var begun [2]time.Time
	f := func(w *Worker) {
		begun[w.ID] = time.Now()
		for time.Since(begun[w.ID]) < 300*time.Microsecond {
		}
	}
	var late time.Duration
	for b.Loop() {
		time.Sleep(5 * time.Millisecond)
		tm.Run(f)
		late += begun[1].Sub(begun[0])
	}
	b.ReportMetric(float64(late.Nanoseconds())/float64(b.N), "ns/wake")
	b.ReportMetric(0, "ns/op")
}
