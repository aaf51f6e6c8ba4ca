package bench

import (
	"strings"
	"time"
)

// Limits are what users put up with. A zero field is no limit.
type Limits struct {
	TTFT time.Duration `json:"ttft_ns,omitempty"`
	ITL  time.Duration `json:"itl_ns,omitempty"` // of every gap
	TPOT time.Duration `json:"tpot_ns,omitempty"`
	E2E  time.Duration `json:"e2e_ns,omitempty"`
}

// Keeps reports whether a request was answered within all limits. One without
// text keeps no limit of TTFT; one of a single piece keeps those of ITL and TPOT.
func (l Limits) Keeps(t *Trace) bool {
	if t.Err != nil || over(t.E2E(), l.E2E) {
		return false
	}
	if first, ok := t.TTFT(); l.TTFT > 0 && !ok || over(first, l.TTFT) {
		return false
	}
	if per, _ := t.TPOT(); over(per, l.TPOT) {
		return false
	}
	if l.ITL == 0 {
		return true
	}
	for _, gap := range t.AppendITL(nil) {
		if over(gap, l.ITL) {
			return false
		}
	}
	return true
}

func over(d, limit time.Duration) bool { return limit > 0 && d > limit }

// String names the limits that are set.
func (l Limits) String() string {
	var parts []string
	for _, limit := range []struct {
		name string
		most time.Duration
	}{{"TTFT", l.TTFT}, {"ITL", l.ITL}, {"TPOT", l.TPOT}, {"E2E", l.E2E}} {
		if limit.most > 0 {
			parts = append(parts, limit.name+" ≤ "+limit.most.String())
		}
	}
	if parts == nil {
		return "no limits"
	}
	return strings.Join(parts, ", ")
}
