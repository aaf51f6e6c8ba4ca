package bench

import (
	"context"
	"math"
	"slices"
)

// Sweep finds the highest rate of requests at which a server keeps limits.
type Sweep struct {
	From      float64 // the rate tried first: 1 a second
	Share     float64 // of the requests that must keep the limits: 0.9
	Precision float64 // ends the search, when the lowest rate that failed is no more above the highest that held: 0.1
	Runs      int     // most rates to try: 12
}

// Point is one rate of a sweep.
type Point struct {
	Rate    float64 `json:"rate"`
	Held    bool    `json:"held"` // enough requests kept the limits
	Summary Summary `json:"summary"`
}

func (s Sweep) withDefaults() Sweep {
	set := func(field *float64, value float64) {
		if *field == 0 {
			*field = value
		}
	}
	set(&s.From, 1)
	set(&s.Share, 0.9)
	set(&s.Precision, 0.1)
	if s.Runs == 0 {
		s.Runs = 12
	}
	return s
}

// Run tries rates until the highest that holds is found, and returns all that
// were tried in ascending order. From the first rate on it doubles, or halves,
// until one holds and one does not; then it goes between them, in the middle by
// ratio. try measures one rate, with limits. A rate that fails although hardly
// ever a request was under way ends the search: a lower one would not help. So
// does the end of ctx; the rate that it broke off is left out.
func (s Sweep) Run(ctx context.Context, try func(rate float64) Summary) []Point {
	s = s.withDefaults()
	held, failed := 0.0, math.Inf(1)
	var points []Point
	for rate := s.From; len(points) < s.Runs && failed > held*(1+s.Precision); rate = between(held, failed) {
		sum := try(rate)
		if ctx.Err() != nil {
			break
		}
		p := Point{Rate: rate, Held: sum.GoodPart >= s.Share, Summary: sum}
		points = append(points, p)
		switch {
		case p.Held:
			held = rate
		case sum.MeanConcurrency > idle:
			failed = rate
		default:
			failed = held
		}
	}
	slices.SortFunc(points, func(a, b Point) int {
		if a.Rate < b.Rate {
			return -1
		}
		return 1
	})
	return points
}

// idle is the mean concurrency below which requests do not slow each other down.
const idle = 0.1

// between is the rate to try when one is known to hold (or 0) and one is known
// to fail (or infinity).
func between(held, failed float64) float64 {
	switch {
	case held == 0:
		return failed / 2
	case math.IsInf(failed, 1):
		return held * 2
	}
	return math.Sqrt(held * failed)
}

// Highest is the point of the highest rate that held; ok is false if none did.
func Highest(points []Point) (p Point, ok bool) {
	for _, q := range points {
		if q.Held && q.Rate > p.Rate {
			p, ok = q, true
		}
	}
	return p, ok
}

// Knee is the rate beyond which latency (the p90 of TTFT) begins to soar: of the
// points, in ascending order, the one furthest below the straight line from the
// first to the last, with both axes scaled to 1. Below three points there is
// none. (Satopää et al., Finding a "Kneedle" in a Haystack, 2011, without its
// smoothing.)
func Knee(points []Point) (p Point, ok bool) {
	if len(points) < 3 {
		return Point{}, false
	}
	first, last := points[0], points[len(points)-1]
	width, height := last.Rate-first.Rate, last.Summary.TTFT.P90-first.Summary.TTFT.P90
	if width <= 0 || height <= 0 {
		return Point{}, false
	}
	deepest := 0.0
	for _, q := range points {
		depth := (q.Rate-first.Rate)/width - (q.Summary.TTFT.P90-first.Summary.TTFT.P90)/height
		if depth > deepest {
			p, ok, deepest = q, true, depth
		}
	}
	return p, ok
}
