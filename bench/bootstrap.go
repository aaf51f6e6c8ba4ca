package bench

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// resamples is how often the samples are drawn anew; few is the most clusters
// and values for which that is done.
const (
	resamples   = 500
	fewClusters = 1000
	fewValues   = 50_000
)

// statistic is a figure of sorted, weighted values.
type statistic func(x, weights []float64) float64

func mean(x, weights []float64) float64 { return stat.Mean(x, weights) }

func percentile(p float64) statistic {
	return func(x, weights []float64) float64 { return rank(p, x, weights) }
}

// intervals of the figures that chance moves most visibly.
func (s *samples) intervals() map[string]Interval {
	names := []string{"mean", "p50", "p90", "p95", "p99"}
	figures := s.replicas(1, mean, percentile(0.50), percentile(0.90), percentile(0.95), percentile(0.99))
	if figures == nil {
		return nil
	}
	ci := make(map[string]Interval)
	for i, name := range names {
		ci[name] = middle(figures[i])
	}
	return ci
}

// replicas computes statistics of resamples: [len(stats)][resamples]. A resample
// draws as many clusters as there are, with replacement; a value counts as often
// as its cluster was drawn. It is nil where there are too many values, or too
// few for chance to say anything.
func (s *samples) replicas(seed uint64, stats ...statistic) [][]float64 {
	if s.clusters < 2 || s.clusters > fewClusters || len(s.all) > fewValues {
		return nil
	}
	x := s.sorted()
	r := rand.New(rand.NewPCG(seed, 'b'))
	drawn, weights := make([]float64, s.clusters), make([]float64, len(x))
	out := make([][]float64, len(stats))
	for range resamples {
		clear(drawn)
		for range s.clusters {
			drawn[r.IntN(s.clusters)]++
		}
		for i, v := range s.all {
			weights[i] = drawn[v.cluster]
		}
		for i, figure := range stats {
			out[i] = append(out[i], figure(x, weights))
		}
	}
	return out
}

// middle is the interval of the middle 95 % of values.
func middle(values []float64) Interval {
	slices.Sort(values)
	return Interval{rank(0.025, values, nil), rank(0.975, values, nil)}
}
