package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// Ratio is a figure of run B divided by that of run A.
type Ratio struct {
	Name   string
	Higher bool // is better
	A, B   float64
	Ratio  float64
	CI     Interval // zero where the samples do not give one
}

// Differs reports whether the interval excludes 1.
func (r Ratio) Differs() bool { return r.CI != (Interval{}) && (r.CI[0] > 1 || r.CI[1] < 1) }

// Compare divides the figures of b by those of a. Figures that either lacks are
// left out. Intervals are of the ratio, by resampling both runs: they tell of the
// chance within these two runs, not of what differs from run to run.
func Compare(a, b *Result) []Ratio {
	x, y := collect(a.Traces), collect(b.Traces)
	var ratios []Ratio
	add := func(name string, higher bool, va, vb float64, sa, sb *samples, figure statistic) {
		if va > 0 && vb > 0 {
			ratios = append(ratios, Ratio{name, higher, va, vb, vb / va, ratioInterval(sa, sb, figure)})
		}
	}
	sa, sb := &a.Summary, &b.Summary
	add("output tokens/s", true, sa.OutputRate, sb.OutputRate, &x.rate, &y.rate, mean)
	add("requests/s", true, sa.RequestRate, sb.RequestRate, nil, nil, nil)
	add("goodput, requests/s", true, sa.Goodput, sb.Goodput, nil, nil, nil)
	for _, l := range []struct {
		name   string
		da, db Distribution
		xa, xb *samples
	}{
		{"TTFT", sa.TTFT, sb.TTFT, &x.ttft, &y.ttft},
		{"ITL", sa.ITL, sb.ITL, &x.itl, &y.itl},
		{"TPOT", sa.TPOT, sb.TPOT, &x.tpot, &y.tpot},
		{"E2E", sa.E2E, sb.E2E, &x.e2e, &y.e2e},
	} {
		add(l.name+" mean, ms", false, l.da.Mean, l.db.Mean, l.xa, l.xb, mean)
		add(l.name+" p50, ms", false, l.da.P50, l.db.P50, l.xa, l.xb, percentile(0.50))
		add(l.name+" p99, ms", false, l.da.P99, l.db.P99, l.xa, l.xb, percentile(0.99))
	}
	return ratios
}

// ratioInterval resamples both runs independently.
func ratioInterval(a, b *samples, figure statistic) Interval {
	if figure == nil {
		return Interval{}
	}
	ra, rb := a.replicas(1, figure), b.replicas(2, figure)
	if ra == nil || rb == nil {
		return Interval{}
	}
	var ratios []float64
	for i, v := range ra[0] {
		if v > 0 {
			ratios = append(ratios, rb[0][i]/v)
		}
	}
	if len(ratios) == 0 {
		return Interval{}
	}
	return middle(ratios)
}

// WriteComparison prints the ratios of two runs, after what makes them hard to
// compare: failures, and settings that differ.
func WriteComparison(w io.Writer, a, b *Result) error {
	t := &table{w: w}
	t.printf("A: %s\nB: %s\n\n", a.Name, b.Name)
	for _, r := range []*Result{a, b} {
		if s := &r.Summary; s.Failed > 0 {
			t.printf("%s: %d of %d requests FAILED\n", r.Name, s.Failed, s.Requests)
		}
	}
	for _, line := range Differences(a, b) {
		t.printf("differs: %s\n", line)
	}
	rows := [][]string{{"", "A", "B", "B/A", "95 %", ""}}
	for _, r := range Compare(a, b) {
		rows = append(rows, []string{r.Name, short(r.A), short(r.B), fmt.Sprintf("%.3f", r.Ratio), r.interval(), r.verdict()})
	}
	t.columns(rows)
	t.printf("\nintervals are of the chance within these runs; only several runs of each tell what differs from run to run\n")
	return t.err
}

func (r Ratio) interval() string {
	if r.CI == (Interval{}) {
		return ""
	}
	return fmt.Sprintf("%.3f–%.3f", r.CI[0], r.CI[1])
}

func (r Ratio) verdict() string {
	switch {
	case !r.Differs():
		return ""
	case r.Higher == (r.Ratio > 1):
		return "better"
	}
	return "worse"
}

// Differences are the settings and machines in which two runs differ.
func Differences(a, b *Result) (lines []string) {
	keys := make(map[string]bool)
	for _, c := range []map[string]string{a.Config, b.Config} {
		for k := range c {
			keys[k] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if a.Config[k] != b.Config[k] {
			lines = append(lines, fmt.Sprintf("%s: %q, %q", k, a.Config[k], b.Config[k]))
		}
	}
	if a.Machine != b.Machine {
		lines = append(lines, fmt.Sprintf("machine: %+v, %+v", a.Machine, b.Machine))
	}
	return lines
}
