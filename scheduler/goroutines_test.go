package scheduler

import (
	"runtime"
	"testing"
	"time"
)

// noMoreGoroutines waits until there are no more goroutines than before. The
// runtime's own, which gives memory back that nobody holds any more, counts for
// as long as it does so.
func noMoreGoroutines(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, before %d", runtime.NumGoroutine(), before)
		}
	}
}
