package bench

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Distribution says how samples lie; see the package documentation for its
// percentiles. Without samples it is zero, and left out of JSON.
type Distribution struct {
	N      int     `json:"n"`
	Mean   float64 `json:"mean"`
	StdDev float64 `json:"stddev"` // of the samples; 0 below two
	Min    float64 `json:"min"`
	P1     float64 `json:"p1"`
	P5     float64 `json:"p5"`
	P10    float64 `json:"p10"`
	P50    float64 `json:"p50"`
	P90    float64 `json:"p90"`
	P95    float64 `json:"p95"`
	P99    float64 `json:"p99"`
	P999   float64 `json:"p99.9"`
	Max    float64 `json:"max"`

	// CI has 95 % intervals by the name of the figure, where samples are few.
	CI map[string]Interval `json:"ci95,omitempty"`
}

// Interval is where a figure lies, from the low end to the high.
type Interval [2]float64

// IsZero reports whether there are no samples.
func (d Distribution) IsZero() bool { return d.N == 0 }

// samples are values, each of a cluster of values that depend on each other:
// the gaps of one answer.
type samples struct {
	all      []sample
	clusters int
}

type sample struct {
	value   float64
	cluster int
}

// add adds the values of a cluster of their own.
func (s *samples) add(values ...float64) {
	for _, v := range values {
		s.all = append(s.all, sample{v, s.clusters})
	}
	if len(values) > 0 {
		s.clusters++
	}
}

// sorted returns the values in ascending order; the clusters follow along.
func (s *samples) sorted() []float64 {
	slices.SortFunc(s.all, func(a, b sample) int { return cmp.Compare(a.value, b.value) })
	values := make([]float64, len(s.all))
	for i, x := range s.all {
		values[i] = x.value
	}
	return values
}

func (s *samples) distribution() Distribution {
	x := s.sorted()
	if len(x) == 0 {
		return Distribution{}
	}
	d := Distribution{
		N: len(x), Mean: stat.Mean(x, nil), Min: x[0], Max: x[len(x)-1],
		P1: rank(0.01, x, nil), P5: rank(0.05, x, nil), P10: rank(0.10, x, nil), P50: rank(0.50, x, nil),
		P90: rank(0.90, x, nil), P95: rank(0.95, x, nil), P99: rank(0.99, x, nil), P999: rank(0.999, x, nil),
	}
	if len(x) > 1 {
		d.StdDev = stat.StdDev(x, nil)
	}
	d.CI = s.intervals()
	return d
}

// rank is the smallest value that at least the share p of all does not exceed.
func rank(p float64, sorted, weights []float64) float64 {
	return stat.Quantile(p, stat.Empirical, sorted, weights)
}

// deciding is how many samples it takes until the share p above is not simply
// their maximum.
func deciding(p float64) int { return int(math.Round(1 / (1 - p))) }
