package batch

import (
	"time"

	"example.com/minillm/kvcache"
)

// Static is the policy of a fixed batch: a group of sequences starts together,
// and the next one starts when the last of them has ended. Those that end early
// are masked: they compute nothing, but their places stay empty.
type Static struct{ group }

// NewStatic returns the policy for groups of at most n sequences, or fewer where
// memory in c for all they can come to need runs out.
func NewStatic(c kvcache.Cache, n int) *Static {
	return &Static{group{cache: c, places: n}}
}

// Schedule plans the next step.
func (p *Static) Schedule(now time.Time) []Work {
	p.retire(now)
	if len(p.running) == 0 {
		p.admit(now)
	}
	return p.plan()
}
