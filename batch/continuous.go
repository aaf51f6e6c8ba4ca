package batch

import (
	"time"

	"example.com/minillm/kvcache"
)

// Continuous is the policy of a batch that never drains: a place that becomes
// free is filled at once. A new sequence's whole prompt is computed in one step,
// for which all others wait; package scheduler does better.
type Continuous struct{ group }

// NewContinuous returns the policy for at most n sequences at a time, or fewer
// where memory in c for all they can come to need runs out.
func NewContinuous(c kvcache.Cache, n int) *Continuous {
	return &Continuous{group{cache: c, places: n}}
}

// Schedule plans the next step.
func (p *Continuous) Schedule(now time.Time) []Work {
	p.retire(now)
	p.admit(now)
	return p.plan()
}
