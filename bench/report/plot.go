package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"example.com/minillm/bench"
)

// figure is a plot on the page.
type figure struct {
	Caption string
	SVG     template.HTML
}

// colors can be told apart by most eyes (Okabe and Ito, Color Universal Design, 2008).
var colors = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff},
	{0xcc, 0x79, 0xa7, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// figures draws every plot that there is something to draw for.
func figures(results []*bench.Result) (out []figure, err error) {
	charts := append(latencyCharts(results), rateCharts(results)...)
	for _, r := range results {
		charts = append(charts, sweepChart(r), timelineChart(r))
	}
	for _, c := range charts {
		if c == nil {
			continue
		}
		f, err := c.figure()
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// chart is a plot and what is said under it.
type chart struct {
	*plot.Plot
	caption string
	height  vg.Length
	err     error // the first of drawing
}

// newChart is an empty plot in the style of the page.
func newChart(title, x, y, caption string) *chart {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle,
		&p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		s.Font.Variant = "Sans"
		s.Font.Size = 9
	}
	p.Title.TextStyle.Font.Size = 11
	p.Legend.Top, p.Legend.Padding, p.Legend.ThumbnailWidth = true, 2, 14
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xe4}, color.Gray{0xe4}
	p.Add(grid)
	return &chart{Plot: p, caption: caption, height: 3 * vg.Inch}
}

// figure renders the chart as an SVG element.
func (c *chart) figure() (figure, error) {
	if c.err != nil {
		return figure{}, fmt.Errorf("%s: %w", c.Title.Text, c.err)
	}
	canvas := vgsvg.New(width, c.height)
	c.Draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return figure{}, err
	}
	svg := b.Bytes()
	svg = svg[bytes.Index(svg, []byte("<svg")):] // without the prolog of a file
	return figure{Caption: c.caption, SVG: template.HTML(svg)}, nil
}

// width of all charts.
const width = 6.2 * vg.Inch

// line adds a line in a color, and in the legend where it has a name. Steps go
// on with a value until the next.
func (c *chart) line(name string, xys plotter.XYs, color color.Color, step bool) *plotter.Line {
	l, err := plotter.NewLine(xys)
	if err != nil {
		c.err = cmp.Or(c.err, err)
		return &plotter.Line{}
	}
	l.Color, l.Width = color, 1.5
	if step {
		l.StepStyle = plotter.PostStep
	}
	c.Add(l)
	if name != "" {
		c.Legend.Add(name, l)
	}
	return l
}

// mark adds a dashed vertical line with a name.
func (c *chart) mark(name string, x, top float64, color color.Color) {
	l := c.line("", plotter.XYs{{X: x}, {X: x, Y: top}}, color, false)
	l.Dashes, l.Width = []vg.Length{4, 3}, 1
	if name != "" {
		c.Legend.Add(name, l)
	}
}
