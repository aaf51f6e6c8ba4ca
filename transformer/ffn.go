package transformer

import "example.com/minillm/internal/simd"

// rowBlock is how many rows meet a panel before the next one is fetched, where
// the results are used up at once.
const rowBlock = 64

// tilePanels is how many panels of rowBlock rows are computed at once where the
// result is used up at once: so many that it stays near.
const tilePanels = 4

// tile is a part of a product, [rows][panels*panel] for at most rowBlock rows.
type tile []float32

func newTile() tile { return make(tile, rowBlock*tilePanels*panel) }

// panels is how many panels of so many rows fit.
func (t tile) panels(rows int) int { return len(t) / (rows * panel) }

// feed computes the first half of the feed-forward: the gate, through its
// activation, times the other projection. Source: arXiv:2002.05202 (GLU variants).
func (l *lane) feed(y *layer) {
	r0, r1, p0, p1 := l.part(y.gate.Panels())
	for r := r0; r < r1; r += rowBlock {
		end := min(r+rowBlock, r1)
		step := l.gate.panels(end - r)
		for p := p0; p < p1; p += step {
			l.feedTile(y, r, end, p, min(p+step, p1))
		}
	}
	l.multiplied()
	for r := l.r0; r < l.r1; r++ {
		set(&l.gated, r, row(l.hidden, r, l.m.config.ffn))
	}
	l.gathered()
}

func (l *lane) feedTile(y *layer, r0, r1, p0, p1 int) {
	width := y.gate.width(p0, p1)
	y.gate.Mul(l.gate, width, &l.normed, r0, r1, p0, p1)
	y.up.Mul(l.up, width, &l.normed, r0, r1, p0, p1)
	for r := r0; r < r1; r++ {
		gate, up := row(l.gate, r-r0, width), row(l.up, r-r0, width)
		l.join(row(l.hidden, r, y.gate.out)[p0*panel:][:width], gate, up)
	}
}

func (l *lane) join(dst, gate, up []float32) {
	if l.m.config.gelu {
		simd.GeGLU(dst, gate, up)
	} else {
		simd.SwiGLU(dst, gate, up)
	}
}
