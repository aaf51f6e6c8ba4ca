package transformer

import (
	"sync/atomic"

	"example.com/minillm/internal/par"
)

// each is the work of a call of Each.
type each struct {
	n    int
	f    func(int)
	next atomic.Int64
	run  func(*par.Worker) // share; kept so that a call does not allocate
}

// Each calls f once for every i in [0,n), on the goroutines that compute, which
// are still awake after a pass, and returns when all calls have. So what follows
// a pass, such as sampling, is shared among them without starting any. f must
// not call methods of the model that wait for a pass. After Close the caller
// does it all.
func (m *Model) Each(n int, f func(i int)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.team == nil || n < 2 {
		for i := range n {
			f(i)
		}
		return
	}
	m.each.n, m.each.f = n, f
	defer func() { m.each.f = nil }()
	m.each.next.Store(0)
	m.team.Run(m.each.run)
}

// share calls f for one i after another until none is left.
func (e *each) share(*par.Worker) {
	for i := int(e.next.Add(1)) - 1; i < e.n; i = int(e.next.Add(1)) - 1 {
		e.f(i)
	}
}
