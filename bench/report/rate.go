package report

import (
	"cmp"
	"slices"
	"time"

	"gonum.org/v1/plot/plotter"

	"example.com/minillm/bench"
)

// rateCharts are what came out over time, and how many requests were under way.
func rateCharts(results []*bench.Result) []*chart {
	tokens := newChart("Throughput over time", "seconds", "output tokens/s",
		"Tokens that came in each sixtieth of the run, by pieces where the server does not count each.")
	under := newChart("Concurrency over time", "seconds", "requests under way", "Requests that were sent and had not ended.")
	drawn := false
	for i, r := range results {
		end := last(r)
		if end <= 0 {
			continue
		}
		drawn = true
		color := colors[i%len(colors)]
		tokens.line(legend(results, i), throughput(r, end), color, true)
		under.line(legend(results, i), concurrency(r), color, true)
	}
	if !drawn {
		return nil
	}
	tokens.Y.Min, under.Y.Min = 0, 0
	return []*chart{tokens, under}
}

func last(r *bench.Result) (end time.Duration) {
	for _, t := range r.Traces {
		end = max(end, t.End)
	}
	return end
}

// throughput is the tokens per second in each of so many parts of a run.
func throughput(r *bench.Result, end time.Duration) plotter.XYs {
	const parts = 60
	xys := make(plotter.XYs, parts+1)
	for i := range xys {
		xys[i].X = end.Seconds() * float64(i) / parts
	}
	for _, t := range r.Traces {
		for _, p := range t.Pieces {
			at := min(int(float64(p.At)/float64(end)*parts), parts-1)
			xys[at].Y += float64(max(p.Tokens, 1)) * parts / end.Seconds()
		}
	}
	xys[parts].Y = xys[parts-1].Y
	return xys
}

// concurrency is the requests under way after each start and end.
func concurrency(r *bench.Result) plotter.XYs {
	type change struct {
		at time.Duration
		by int
	}
	var changes []change
	for _, t := range r.Traces {
		changes = append(changes, change{t.Sent, 1}, change{t.End, -1})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), a.by-b.by) })
	xys := plotter.XYs{{}}
	now := 0
	for i, c := range changes {
		now += c.by
		if i+1 == len(changes) || changes[i+1].at > c.at {
			xys = append(xys, plotter.XY{X: c.at.Seconds(), Y: float64(now)})
		}
	}
	return xys
}
