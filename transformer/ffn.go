package transformer

import "math"

// gatePanels is how many panels of the gate are computed before those of the
// other half, so that both are near when they are joined.
const gatePanels = 4

// feed computes the first half of the feed-forward: the gate, through its
// activation, times the other projection. Source: arXiv:2002.05202 (GLU variants).
func (l *lane) feed(y *layer) {
	r0, r1, p0, p1 := l.part(y.gate.panels())
	for r := r0; r < r1; r += rowBlock {
		end := min(r+rowBlock, r1)
		for p := p0; p < p1; p += gatePanels {
			l.feedTile(y, r, end, p, min(p+gatePanels, p1))
		}
	}
	l.settle()
}

func (l *lane) feedTile(y *layer, r0, r1, p0, p1 int) {
	const stride = gatePanels * panel
	y.gate.mul(l.gate, stride, &l.act, r0, r1, p0, p1)
	y.up.mul(l.up, stride, &l.act, r0, r1, p0, p1)
	width := y.gate.width(p0, p1)
	for r := r0; r < r1; r++ {
		at := (r - r0) * stride
		gate, up := l.gate[at:at+width], l.up[at:at+width]
		l.activate(gate)
		multiply(l.gated.row(r)[p0*panel:][:width], gate, up)
	}
}

func (l *lane) activate(gate []float32) {
	if l.m.config.gelu {
		gelu(gate)
	} else {
		silu(gate)
	}
}

// silu is x times its logistic function. Source: arXiv:1702.03118.
func silu(x []float32) {
	for i, v := range x {
		x[i] = v / (1 + exp(-v))
	}
}

// gelu is the tanh form of the Gaussian error linear unit. Source: arXiv:1606.08415.
func gelu(x []float32) {
	const a = 0.7978845608028654 // sqrt(2/pi)
	for i, v := range x {
		u := float64(v)
		x[i] = float32(0.5 * u * (1 + math.Tanh(a*(u+0.044715*u*u*u))))
	}
}

func multiply(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}
