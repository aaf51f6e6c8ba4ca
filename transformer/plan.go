package transformer

import "example.com/minillm/internal/simd"

// Attention goes through positions in stretches: softmax is computed over each
// by itself and the results are merged in ascending order. Where stretches
// begin depends on positions alone, so the bits of a result do not depend on
// whether one worker computed all of them.
const stretch = simd.Stretch

// tileQueries is about how many queries, rows times heads, meet a key while
// it is near.
const tileQueries = 64

// unit is a piece of work: the queries of some rows and of the heads that
// share a key/value head, over a range of stretches.
type unit struct {
	piece, head int
	i0, i1      int // rows, counted from the piece's first
	s0, s1      int // stretches
	part        int // where the results of single stretches go, one after another; -1: they are merged at once
	cost        int
}

// plan is the attention of a pass, the same for every layer with the same
// window.
type plan struct {
	window int    // 0: all positions
	tiles  []unit // whole units
	units  []unit // those, the long ones split among workers
	splits []unit // the long ones, whose parts have to be merged
	bounds []int  // worker w takes units [bounds[w],bounds[w+1])
}

// make plans the pieces of a pass for some workers, with room for some parts.
func (p *plan) make(pieces []piece, c *config, workers, room int) {
	p.tiles, p.units, p.splits = p.tiles[:0], p.units[:0], p.splits[:0]
	group := c.heads / c.kvHeads
	tile, total := c.tileRows(), 0
	for i := range pieces {
		for head := range c.kvHeads {
			for at := 0; at < pieces[i].n; at += tile {
				u := p.tile(unit{piece: i, head: head, i0: at, i1: min(at+tile, pieces[i].n), part: -1}, pieces[i].pos)
				p.tiles = append(p.tiles, u)
				total += u.cost
			}
		}
	}
	p.split(group, workers, room, total)
	p.share(workers, total)
}

// tileRows is the number of rows of a unit.
func (c *config) tileRows() int { return max(1, tileQueries/(c.heads/c.kvHeads)) }

// tile completes a unit of a piece that begins at pos.
func (p *plan) tile(u unit, pos int) unit {
	u.s0, u.s1 = p.begin(pos+u.i0)/stretch, (pos+u.i1-1)/stretch+1
	for i := u.i0; i < u.i1; i++ {
		u.cost += pos + i + 1 - p.begin(pos+i)
	}
	return u
}

// begin is the first position that a query at pos sees.
func (p *plan) begin(pos int) int {
	if p.window == 0 {
		return 0
	}
	return max(0, pos-p.window+1)
}

// split cuts what would be too much for one of several workers.
func (p *plan) split(group, workers, room, total int) {
	most, parts := total/(4*workers)+1, 0
	for _, u := range p.tiles {
		queries, stretches := (u.i1-u.i0)*group, u.s1-u.s0
		n := min((u.cost+most-1)/most, stretches)
		if workers == 1 || n < 2 || parts+queries*stretches > room {
			p.units = append(p.units, u)
			continue
		}
		u.part = parts
		p.splits = append(p.splits, u)
		for k := range n {
			a, b := u.s0+stretches*k/n, u.s0+stretches*(k+1)/n
			cut := u
			cut.s0, cut.s1, cut.part, cut.cost = a, b, parts+(a-u.s0)*queries, u.cost*(b-a)/stretches
			p.units = append(p.units, cut)
		}
		parts += queries * stretches
	}
}

// share divides the units among workers, each to the one in whose share of the
// cost its middle lies.
func (p *plan) share(workers, total int) {
	p.bounds = append(p.bounds[:0], 0)
	done := 0
	for i, u := range p.units {
		for len(p.bounds) < workers && (done+u.cost/2)*workers >= total*len(p.bounds) {
			p.bounds = append(p.bounds, i)
		}
		done += u.cost
	}
	for len(p.bounds) <= workers {
		p.bounds = append(p.bounds, len(p.units))
	}
}
