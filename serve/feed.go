package serve

import (
	"context"
	"sync"
)

// feed is a list that grows at one goroutine's pace and is read at another's.
// The writer never waits, so a slow client cannot hold up a step; what a feed
// can hold is bounded by what its request may generate.
type feed[T any] struct {
	mu     sync.Mutex
	items  []T
	closed bool
	wake   chan struct{} // holds a token while there is something to see
}

func newFeed[T any]() *feed[T] { return &feed[T]{wake: make(chan struct{}, 1)} }

// put appends items. After close it does nothing.
func (f *feed[T]) put(items ...T) {
	f.mu.Lock()
	if !f.closed {
		f.items = append(f.items, items...)
	}
	f.mu.Unlock()
	f.notify()
}

// close says that no more items come.
func (f *feed[T]) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.notify()
}

func (f *feed[T]) notify() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// next returns the items that are there, waiting for the first one. It gives
// the writer buf to fill next. At the end of the feed it returns none, and
// when ctx ends its cause.
func (f *feed[T]) next(ctx context.Context, buf []T) ([]T, error) {
	for {
		f.mu.Lock()
		items, closed := f.items, f.closed
		f.items = buf[:0]
		f.mu.Unlock()
		if len(items) > 0 || closed {
			return items, nil
		}
		buf = items
		select {
		case <-f.wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
