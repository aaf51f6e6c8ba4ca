package main

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	_ "gonum.org/v1/plot/vg/vgsvg" // writes files named *.svg

	"example.com/minillm/internal/sim"
)

// draw writes, for each system, how long the requests waited for their first
// token: which part of them at most so long.
func draw(file string, reports []sim.Report) error {
	p := plot.New()
	p.Title.Text = "time to the first token"
	p.X.Label.Text = "per cent of the requests"
	p.Y.Label.Text = "seconds"
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	p.Add(plotter.NewGrid())

	var lines []any
	for _, r := range reports {
		lines = append(lines, r.Name, curve(r.TTFT))
	}
	if err := plotutil.AddLines(p, lines...); err != nil {
		return err
	}
	return p.Save(8*vg.Inch, 5*vg.Inch, file)
}

func curve(t sim.Times) plotter.XYs {
	xys := make(plotter.XYs, 0, 100)
	for percent := range 100 {
		at := t.Quantile(float64(percent+1) / 100).Seconds()
		xys = append(xys, plotter.XY{X: float64(percent + 1), Y: at})
	}
	return xys
}
