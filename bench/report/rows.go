package report

import (
	"fmt"

	"example.com/minillm/bench"
)

// row is one figure of all results.
type row struct {
	Name   string
	Values []string
}

// rows are the main figures; those that no result has are left out.
func rows(results []*bench.Result) (rows []row) {
	add := func(name string, value func(s *bench.Summary) string) {
		r := row{Name: name}
		known := false
		for _, result := range results {
			v := value(&result.Summary)
			known = known || v != ""
			r.Values = append(r.Values, v)
		}
		if known {
			rows = append(rows, r)
		}
	}
	add("answered", func(s *bench.Summary) string { return fmt.Sprintf("%d of %d", s.Answered, s.Requests) })
	add("duration, s", func(s *bench.Summary) string { return number(s.Seconds) })
	add("requests/s", func(s *bench.Summary) string { return number(s.RequestRate) })
	add("input tokens/s", func(s *bench.Summary) string { return number(s.InputRate) })
	add("output tokens/s", func(s *bench.Summary) string { return number(s.OutputRate) })
	add("goodput, requests/s", func(s *bench.Summary) string {
		if s.Limits == (bench.Limits{}) {
			return ""
		}
		return fmt.Sprintf("%s (%.1f %% within %s)", number(s.Goodput), 100*s.GoodPart, s.Limits)
	})
	add("most at once", func(s *bench.Summary) string { return fmt.Sprint(s.Concurrency) })
	for _, l := range latencies {
		add(l.name+", ms: p50 / p90 / p99", func(s *bench.Summary) string {
			d := l.of(s)
			if d.IsZero() {
				return ""
			}
			return fmt.Sprintf("%s / %s / %s", number(d.P50), number(d.P90), number(d.P99))
		})
	}
	return rows
}

var latencies = []struct {
	name string
	of   func(s *bench.Summary) bench.Distribution
}{
	{"TTFT", func(s *bench.Summary) bench.Distribution { return s.TTFT }},
	{"ITL", func(s *bench.Summary) bench.Distribution { return s.ITL }},
	{"TPOT", func(s *bench.Summary) bench.Distribution { return s.TPOT }},
	{"E2E", func(s *bench.Summary) bench.Distribution { return s.E2E }},
	{"queued", func(s *bench.Summary) bench.Distribution { return s.Queued }},
}

// number prints four digits, or all before the point.
func number(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

// ratio is a figure of the second result by that of the first.
type ratio struct {
	Name, A, B, Ratio, Interval string
	Class                       string // of style: better, worse or none
}

func ratios(a, b *bench.Result) (out []ratio) {
	for _, r := range bench.Compare(a, b) {
		line := ratio{Name: r.Name, A: number(r.A), B: number(r.B), Ratio: fmt.Sprintf("%.3f", r.Ratio)}
		if r.CI != (bench.Interval{}) {
			line.Interval = fmt.Sprintf("%.3f – %.3f", r.CI[0], r.CI[1])
		}
		if r.Differs() {
			line.Class = "worse"
			if r.Higher == (r.Ratio > 1) {
				line.Class = "better"
			}
		}
		out = append(out, line)
	}
	return out
}
