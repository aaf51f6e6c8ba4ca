package par

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

func team(t testing.TB, n int) *Team {
	tm := NewTeam(n)
	t.Cleanup(tm.Close)
	return tm
}

func TestRunCallsEveryWorkerOnce(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8} {
		tm := team(t, n)
		for range 100 {
			calls := make([]int, n)
			tm.Run(func(w *Worker) {
				if w.N != n {
					t.Errorf("worker of %d has N = %d", n, w.N)
				}
				calls[w.ID]++
			})
			for id, c := range calls {
				if c != 1 {
					t.Fatalf("team of %d: worker %d ran %d times", n, id, c)
				}
			}
		}
	}
}

// TestBarrierOrders lets every worker write, read what its neighbour wrote
// before the barrier, and write again: any worker that slips through is a data
// race and a wrong number.
func TestBarrierOrders(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5} {
		tm := team(t, n)
		cells := make([]int, n)
		tm.Run(func(w *Worker) {
			for round := range 500 {
				cells[w.ID] = round
				w.Barrier()
				if got := cells[(w.ID+1)%n]; got != round {
					panic(fmt.Sprintf("round %d: neighbour is at %d", round, got))
				}
				w.Barrier()
			}
		})
	}
}

// TestSlowWorkers makes one worker late by more than the others spin, so that
// they park at barriers, at the end and before the start.
func TestSlowWorkers(t *testing.T) {
	const n = 3
	tm := team(t, n)
	for late := range n {
		var sum atomic.Int64
		tm.Run(func(w *Worker) {
			if w.ID == late {
				time.Sleep(20 * time.Millisecond)
			}
			sum.Add(1)
			w.Barrier()
			if sum.Load() != n {
				t.Error("barrier opened early")
			}
			if w.ID == late {
				time.Sleep(20 * time.Millisecond)
			}
		})
		time.Sleep(20 * time.Millisecond)
	}
}

func TestOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	TestBarrierOrders(t)
	TestSlowWorkers(t)
}

func TestPanicReachesCaller(t *testing.T) {
	const n = 3
	tm := team(t, n)
	cause := errors.New("cause")
	for culprit := range n {
		for _, late := range []time.Duration{0, 10 * time.Millisecond} {
			got := recovered(func() {
				tm.Run(func(w *Worker) {
					w.Barrier()
					if w.ID == culprit {
						time.Sleep(late)
						panic(cause)
					}
					w.Barrier()
					t.Error("barrier opened without worker", culprit)
				})
			})
			if got != cause {
				t.Errorf("worker %d panicked with %v, Run with %v", culprit, cause, got)
			}
			stillWorks(t, tm)
		}
	}
}

// stillWorks sees that a team still works.
func stillWorks(t *testing.T, tm *Team) {
	var sum atomic.Int64
	tm.Run(func(w *Worker) {
		sum.Add(1)
		w.Barrier()
		if sum.Load() != int64(tm.Size()) {
			t.Error("barrier opened early")
		}
	})
}

func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestGoexit(t *testing.T) {
	tm := team(t, 2)
	got := recovered(func() {
		tm.Run(func(w *Worker) {
			if w.ID == 1 {
				runtime.Goexit()
			}
			w.Barrier()
		})
	})
	if got == nil {
		t.Error("Run returned although a worker had left")
	}
	stillWorks(t, tm)

	left := make(chan bool)
	go func() {
		defer close(left)
		tm.Run(func(w *Worker) {
			if w.ID == 0 {
				runtime.Goexit()
			}
			w.Barrier()
		})
		t.Error("Run returned after runtime.Goexit")
	}()
	<-left
	stillWorks(t, tm)
}

func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 10 {
		tm := NewTeam(4)
		stillWorks(t, tm)
		tm.Close()
		tm.Close()
		if recovered(func() { tm.Run(func(*Worker) {}) }) == nil {
			t.Fatal("Run after Close did not panic")
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

func TestRunDoesNotAllocate(t *testing.T) {
	tm := team(t, 2)
	f := func(w *Worker) { w.Barrier() }
	if n := testing.AllocsPerRun(100, func() { tm.Run(f) }); n != 0 {
		t.Errorf("%v allocations a region", n)
	}
}

func TestShare(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 100, 576, 1000} {
		for _, grain := range []int{1, 8, 16, 64} {
			for _, workers := range []int{1, 2, 3, 7} {
				next := 0
				for id := range workers {
					w := Worker{ID: id, N: workers}
					lo, hi := w.Share(n, grain)
					if lo != next || hi < lo || hi < n && hi%grain != 0 {
						t.Fatalf("Share(%d, %d) of worker %d/%d = [%d,%d), the last one ended at %d",
							n, grain, id, workers, lo, hi, next)
					}
					if most := (n/grain/workers + 2) * grain; hi-lo > most {
						t.Errorf("Share(%d, %d) of worker %d/%d has %d, more than %d", n, grain, id, workers, hi-lo, most)
					}
					next = hi
				}
				if next != n {
					t.Fatalf("Share(%d, %d) among %d ends at %d", n, grain, workers, next)
				}
			}
		}
	}
}

// TestBusyProgram runs regions while other goroutines want the processors.
func TestBusyProgram(t *testing.T) {
	var stop atomic.Bool
	defer stop.Store(true)
	for range 2 * runtime.GOMAXPROCS(0) {
		go func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		}()
	}
	tm := team(t, 2)
	for range 20 {
		stillWorks(t, tm)
	}
}

// TestIdle sees that workers block when there is nothing to do.
func TestIdle(t *testing.T) {
	tm := team(t, 3)
	stillWorks(t, tm)
	for i := range tm.workers[1:] {
		w := &tm.workers[i+1]
		for tries := 0; !w.parked.Load(); tries++ {
			if tries == 1000 {
				t.Fatalf("worker %d still spins", w.ID)
			}
			time.Sleep(time.Millisecond)
		}
	}
}
