package report

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"example.com/minillm/bench"
)

// latencyCharts are the distributions of TTFT and ITL, each as shares and as a
// cumulative curve.
func latencyCharts(results []*bench.Result) (charts []*chart) {
	for _, l := range []struct {
		name, formula string
		of            func(t *bench.Trace) []time.Duration
	}{
		{"TTFT", formula("TTFT"), func(t *bench.Trace) []time.Duration {
			if d, ok := t.TTFT(); ok {
				return []time.Duration{d}
			}
			return nil
		}},
		{"ITL", formula("ITL"), func(t *bench.Trace) []time.Duration { return t.AppendITL(nil) }},
	} {
		series := sample(results, l.of)
		if series == nil {
			continue
		}
		a := newAxis(series)
		charts = append(charts,
			distribution(l.name, l.name+": "+l.formula+".", results, series, a),
			cumulative(l.name, "The part of all "+l.name+" samples that are at most so long. Where a curve is steep is where most are; its right end is the tail.", results, series, a))
	}
	return charts
}

func formula(name string) string {
	for _, f := range bench.Formulas {
		if f.Name == name {
			return f.Text
		}
	}
	return ""
}

// sample collects, for each result, the sorted samples in milliseconds; nil if
// there are none at all.
func sample(results []*bench.Result, of func(t *bench.Trace) []time.Duration) [][]float64 {
	series := make([][]float64, len(results))
	n := 0
	for i, r := range results {
		for j := range r.Traces {
			if t := &r.Traces[j]; t.Err == nil {
				for _, d := range of(t) {
					series[i] = append(series[i], float64(d)/float64(time.Millisecond))
				}
			}
		}
		slices.Sort(series[i])
		n += len(series[i])
	}
	if n == 0 {
		return nil
	}
	return series
}

// axis is the range of samples: by its logarithm where a long tail would
// squeeze the rest into a corner.
type axis struct {
	min, max float64
	log      bool
}

func newAxis(series [][]float64) axis {
	a := axis{min: math.Inf(1), max: math.Inf(-1)}
	median := 0.0
	for _, s := range series {
		if len(s) > 0 {
			a.min, a.max = min(a.min, s[0]), max(a.max, s[len(s)-1])
			median = max(median, s[len(s)/2])
		}
	}
	if a.max <= a.min { // all the same: room to both sides
		a.min, a.max = a.min-1, a.max+1
	}
	a.log = a.min > 0 && a.max > 20*median
	return a
}

// at is the point that lies the part f, from 0 to 1, along the axis.
func (a axis) at(f float64) float64 {
	if a.log {
		return a.min * math.Pow(a.max/a.min, f)
	}
	return a.min + f*(a.max-a.min)
}

func (a axis) scale(c *chart) {
	if a.log {
		c.X.Scale, c.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
}

// bins of a histogram.
const bins = 50

// distribution is a histogram as an outline, so that several can be seen at once.
func distribution(name, caption string, results []*bench.Result, series [][]float64, a axis) *chart {
	c := newChart(name+", distribution", "ms", "% of samples", caption)
	a.scale(c)
	for i, s := range series {
		if len(s) == 0 {
			continue
		}
		xys := make(plotter.XYs, 0, bins+1)
		below := 0
		for b := range bins {
			upto, _ := slices.BinarySearch(s, a.at(float64(b+1)/bins))
			if b == bins-1 {
				upto = len(s)
			}
			xys = append(xys, plotter.XY{X: a.at(float64(b) / bins), Y: 100 * float64(upto-below) / float64(len(s))})
			below = upto
		}
		c.line(legend(results, i), append(xys, plotter.XY{X: a.max}), colors[i%len(colors)], true)
	}
	c.Y.Min = 0
	return c
}

// cumulative is the empirical distribution function, at no more points than
// can be seen.
func cumulative(name, caption string, results []*bench.Result, series [][]float64, a axis) *chart {
	c := newChart(name+", cumulative", "ms", "% at most so long", caption)
	a.scale(c)
	const most = 400
	for i, s := range series {
		if len(s) == 0 {
			continue
		}
		n := min(len(s), most)
		xys := plotter.XYs{{X: s[0]}}
		for k := 1; k <= n; k++ {
			upto := (k*len(s) + n - 1) / n
			xys = append(xys, plotter.XY{X: s[upto-1], Y: 100 * float64(upto) / float64(len(s))})
		}
		c.line(legend(results, i), append(xys, plotter.XY{X: a.max, Y: 100}), colors[i%len(colors)], false)
	}
	c.Y.Min, c.Y.Max = 0, 100
	c.Legend.Top = false
	return c
}

// legend is the name of a result, where there are several to tell apart.
func legend(results []*bench.Result, i int) string {
	if len(results) == 1 {
		return ""
	}
	return results[i].Name
}
