package report

import (
	"fmt"

	"gonum.org/v1/plot/plotter"

	"example.com/minillm/bench"
)

// sweepChart is how latency grows with the rate of requests; nil without a sweep.
func sweepChart(r *bench.Result) *chart {
	if len(r.Sweep) < 2 {
		return nil
	}
	c := newChart("Rate against latency: "+r.Name, "requests/s", "TTFT, ms", "")
	top := 0.0
	for i, q := range []struct {
		name string
		of   func(d bench.Distribution) float64
	}{
		{"p99", func(d bench.Distribution) float64 { return d.P99 }},
		{"p90", func(d bench.Distribution) float64 { return d.P90 }},
		{"p50", func(d bench.Distribution) float64 { return d.P50 }},
	} {
		var xys plotter.XYs
		for _, p := range r.Sweep {
			xys = append(xys, plotter.XY{X: p.Rate, Y: q.of(p.Summary.TTFT)})
			top = max(top, q.of(p.Summary.TTFT))
		}
		c.line(q.name, xys, colors[i], false)
	}
	c.caption = "Each point is a run at that rate. " + marks(c, r, top)
	c.Y.Min, c.X.Min = 0, 0
	c.Legend.Left = true
	return c
}

// marks draws the highest rate that held and the knee, and says so in words.
func marks(c *chart, r *bench.Result, top float64) (words string) {
	best, ok := bench.Highest(r.Sweep)
	if ok {
		c.mark("highest that held", best.Rate, top, colors[4])
		words = fmt.Sprintf("The highest rate that held the limits (%s) is %.3g requests/s. ", best.Summary.Limits, best.Rate)
	} else {
		words = "No rate held the limits. "
	}
	if knee, ok := bench.Knee(r.Sweep); ok {
		c.mark("knee", knee.Rate, top, colors[5])
		words += fmt.Sprintf("Beyond %.3g requests/s, the knee, the p90 soars.", knee.Rate)
	}
	return words
}
