package transformer

import (
	"example.com/minillm/internal/quant"
	"example.com/minillm/internal/simd"
)

// embed reads the embeddings of the own rows, straight from the file.
func (l *lane) embed() {
	src, n := l.m.embedding, l.m.config.dim
	bytes := src.Type.RowBytes(n)
	for r := l.r0; r < l.r1; r++ {
		id := int(l.tokens[r])
		x := row(l.x, r, n)
		quant.Dequantize(x, src.Type, src.Data[id*bytes:(id+1)*bytes])
		if l.m.config.scaleEmbed {
			simd.Scale(x, l.m.embedScale)
		}
	}
}

// angles prepares RoPE for this worker's share of the rows.
func (l *lane) angles() {
	r0, r1 := l.share()
	for _, p := range l.pieces {
		for r := max(r0, p.row0); r < min(r1, p.row0+p.n); r++ {
			for _, rope := range l.m.ropes {
				rope.prepare(r, p.pos+r-p.row0)
			}
		}
	}
}

// store completes queries and keys of this worker's share of the rows, and
// stores keys and values.
func (l *lane) store(y *layer, index int) {
	c := &l.m.config
	nq, nk := c.queries(), c.keys()
	r0, r1 := l.share()
	for _, p := range l.pieces {
		for r := max(r0, p.row0); r < min(r1, p.row0+p.n); r++ {
			qkv := row(l.qkv, r, nq+2*nk)
			q, k, v := qkv[:nq], qkv[nq:nq+nk], qkv[nq+nk:]
			y.complete(q, k, v, c.eps)
			l.m.ropes[y.reach].turn(q, r)
			l.m.ropes[y.reach].turn(k, r)
			p.kv.Put(index, p.pos+r-p.row0, k, v)
		}
	}
	l.Barrier()
}

// complete adds biases, normalises heads and smooths channels.
func (y *layer) complete(q, k, v []float32, eps float32) {
	if y.qBias != nil {
		simd.Add(q, y.qBias)
	}
	if y.kBias != nil {
		simd.Add(k, y.kBias)
	}
	if y.vBias != nil {
		simd.Add(v, y.vBias)
	}
	if y.qNorm != nil {
		headNorms(q, y.qNorm, eps)
		headNorms(k, y.kNorm, eps)
	}
	if y.kFactors != nil {
		simd.Mul(q, y.qFactors)
		simd.Mul(k, y.kFactors)
	}
}

// attend computes this worker's units of attention.
func (l *lane) attend(reach, index int) {
	p := &l.plans[reach]
	for _, u := range p.units[p.bounds[l.ID]:p.bounds[l.ID+1]] {
		v := l.view(&u, index, p.window)
		if u.part < 0 {
			l.look.whole(v, u.s0, u.s1)
		} else {
			l.look.several(v, u.s0, u.s1, l.parts[u.part*stateSize(l.m.config.headDim):])
		}
	}
	l.Barrier()
	if len(p.splits) == 0 {
		return
	}
	lo, hi := l.Share(len(p.splits), 1)
	for _, u := range p.splits[lo:hi] {
		v := l.view(&u, index, p.window)
		l.look.join(v, u.s0, u.s1, l.parts[u.part*stateSize(l.m.config.headDim):])
	}
	l.Barrier()
}

// view is what a unit of a layer reads and writes.
func (l *lane) view(u *unit, layer, window int) *view {
	c := &l.m.config
	p := &l.pieces[u.piece]
	stride := c.queries() + 2*c.keys()
	r, h := p.row0+u.i0, u.head*l.look.group*c.headDim
	l.look.view = view{
		kv: p.kv, layer: layer, head: u.head,
		pos: p.pos + u.i0, rows: u.i1 - u.i0, group: l.look.group,
		headDim: c.headDim, window: window,
		q: l.qkv[r*stride+h:], qStride: stride,
		out: l.att[r*c.queries()+h:], outStride: c.queries(),
	}
	return &l.look.view
}

// gather makes the activations that the output projection reads of att.
func (l *lane) gather() {
	n := l.m.config.queries()
	for r := l.r0; r < l.r1; r++ {
		set(&l.mixed, r, row(l.att, int(l.at[r]), n))
	}
	l.gathered()
}

// head writes what is wanted of the last rows of x.
func (l *lane) head() {
	c := &l.m.config
	r0, r1 := l.share()
	for r := r0; r < r1; r++ {
		if hidden := l.states[r]; hidden != nil {
			simd.RMSNorm(hidden, row(l.x, int(l.at[r]), c.dim), l.m.outputNorm, c.eps)
		}
	}
	l.Barrier()
	l.enter(scoredRows, l.scored)
	l.norm(l.m.outputNorm)
	l.score(&l.m.output)
}

// score multiplies the scored rows with the vocabulary, tile by tile, since
// the rows that take the results lie anywhere.
func (l *lane) score(output *linear) {
	r0, r1, p0, p1 := l.part(output.Panels())
	if r1-r0 == 1 && p0 < p1 {
		output.Mul(l.logits[r0][p0*panel:], 0, &l.normed, r0, r1, p0, p1)
		return
	}
	for r := r0; r < r1; r += rowBlock {
		end := min(r+rowBlock, r1)
		step := l.gate.panels(end - r)
		for p := p0; p < p1; p += step {
			l.scoreTile(output, r, end, p, min(p+step, p1))
		}
	}
}

func (l *lane) scoreTile(output *linear, r0, r1, p0, p1 int) {
	width := output.width(p0, p1)
	output.Mul(l.gate, width, &l.normed, r0, r1, p0, p1)
	for r := r0; r < r1; r++ {
		copy(l.logits[r][p0*panel:], row(l.gate, r-r0, width))
	}
}
