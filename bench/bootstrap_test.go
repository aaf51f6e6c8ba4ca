package bench

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestIntervals draws from distributions that are known: of a hundred intervals about
// ninety-five hold the true mean and the true median.
func TestIntervals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	means, medians := 0, 0
	for range 100 {
		var s samples
		for range 40 {
			s.add(r.ExpFloat64())
		}
		d := s.distribution()
		inside := func(name string, v float64) int {
			if ci := d.CI[name]; ci[0] <= v && v <= ci[1] {
				return 1
			}
			return 0
		}
		means += inside("mean", 1)
		medians += inside("p50", math.Ln2)
	}
	if means < 86 || medians < 86 {
		t.Errorf("of 100 intervals %d hold the mean, %d the median", means, medians)
	}
}

// TestClusters: values that depend on each other make the interval as wide as
// what does not depend.
func TestClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var together, apart samples
	for range 50 {
		v := r.NormFloat64()
		values := make([]float64, 20)
		for i := range values {
			values[i] = v
		}
		together.add(values...)
		apart.each(values)
	}
	width := func(d Distribution) float64 { return d.CI["mean"][1] - d.CI["mean"][0] }
	wide, narrow := width(together.distribution()), width(apart.distribution())
	if ratio := wide / narrow; ratio < 3.5 || ratio > 5.5 { // √20 is 4.5
		t.Errorf("intervals of %v and %v", wide, narrow)
	}
}

func TestNoIntervals(t *testing.T) {
	var one, many samples
	one.add(1, 2, 3)
	many.each(make([]float64, fewClusters+1))
	for _, s := range []*samples{{}, &one, &many} {
		if d := s.distribution(); d.CI != nil {
			t.Errorf("%d clusters have intervals %v", s.clusters, d.CI)
		}
	}
}

func BenchmarkSummarize(b *testing.B) {
	traces := answered(500)
	for b.Loop() {
		Summarize(traces, Limits{})
	}
}
