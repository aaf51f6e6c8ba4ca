package report

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/minillm/bench"
)

// rowsShown is the most requests that a timeline has room for.
const rowsShown = 200

// timelineChart shows each request as a bar: waiting, in the queue, computing
// the prompt, decoding. It is nil without requests.
func timelineChart(r *bench.Result) *chart {
	if last(r) <= 0 {
		return nil
	}
	traces := slices.Clone(r.Traces)
	slices.SortStableFunc(traces, func(a, b bench.Trace) int { return cmp.Compare(a.Due, b.Due) })
	caption := "One line for each request, from its intended start. "
	if len(traces) > rowsShown {
		caption += fmt.Sprintf("The first %d of %d. ", rowsShown, len(traces))
		traces = traces[:rowsShown]
	}
	c := newChart("Requests: "+r.Name, "seconds", "", caption)
	const room, frame = 0.75, 0.8 // inches for the legend above the bars, and for title and axis
	body := max(1, min(float64(len(traces))*0.06, 6))
	c.height = vg.Length(body+room+frame) * vg.Inch
	for _, s := range stretches {
		b := bars{color: s.color, of: s.of, traces: traces, height: vg.Length(body/float64(len(traces))) * vg.Inch}
		if b.visible(last(r)) {
			c.Add(b)
			c.Legend.Add(s.name, b)
		}
	}
	c.Legend.Left = true
	c.Y.Tick.Marker = plot.ConstantTicks{}
	c.Y.Min, c.Y.Max = -1, float64(len(traces))*(1+room/body)
	return c
}

// stretches of a request's life.
var stretches = []struct {
	name  string
	color color.Color
	of    func(t *bench.Trace) (from, to time.Duration)
}{
	{"wait for a client", color.Gray{0xb0}, func(t *bench.Trace) (from, to time.Duration) { return t.Due, t.Sent }},
	{"queued", colors[4], func(t *bench.Trace) (from, to time.Duration) { return t.Sent, computed(t) }},
	{"to the first piece", colors[5], func(t *bench.Trace) (from, to time.Duration) { return computed(t), first(t) }},
	{"to the last piece", colors[0], func(t *bench.Trace) (from, to time.Duration) {
		if len(t.Pieces) == 0 {
			return 0, 0
		}
		return first(t), t.Pieces[len(t.Pieces)-1].At
	}},
	{"failed or broken off", colors[1], func(t *bench.Trace) (from, to time.Duration) {
		switch {
		case t.Err == nil:
			return 0, 0
		case len(t.Pieces) > 0:
			return t.Pieces[len(t.Pieces)-1].At, t.End
		}
		return t.Sent, t.End
	}},
}

// computed is when the engine began with the request: when it was sent, where
// the engine does not say.
func computed(t *bench.Trace) time.Duration {
	if t.Usage == nil {
		return t.Sent
	}
	return min(t.Sent+t.Usage.Queued, first(t))
}

// first is when the first piece came; where none did, nothing is drawn up to it.
func first(t *bench.Trace) time.Duration {
	if len(t.Pieces) == 0 {
		return t.Sent
	}
	return t.Pieces[0].At
}

// bars draws one stretch of every request.
type bars struct {
	color  color.Color
	of     func(t *bench.Trace) (from, to time.Duration)
	traces []bench.Trace
	height vg.Length
}

// visible reports whether any bar is long enough to be seen.
func (b bars) visible(end time.Duration) bool {
	return slices.ContainsFunc(b.traces, func(t bench.Trace) bool {
		from, to := b.of(&t)
		return to-from > end/2000
	})
}

// Plot draws the bars, the first request at the bottom.
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	half := min(b.height*0.4, 3)
	for i := range b.traces {
		from, to := b.of(&b.traces[i])
		if to <= from {
			continue
		}
		x0, x1, mid := x(from.Seconds()), x(to.Seconds()), y(float64(i))
		c.FillPolygon(b.color, []vg.Point{{X: x0, Y: mid - half}, {X: x1, Y: mid - half}, {X: x1, Y: mid + half}, {X: x0, Y: mid + half}})
	}
}

// DataRange is the time and the number of requests.
func (b bars) DataRange() (xmin, xmax, ymin, ymax float64) {
	for i := range b.traces {
		_, to := b.of(&b.traces[i])
		xmax = max(xmax, to.Seconds())
	}
	return 0, xmax, 0, float64(len(b.traces))
}

// Thumbnail is the color in the legend.
func (b bars) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.color, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}
