//go:build !purego

package simd

// matAhead is how far ahead of what is read the products of a single row prefetch weights. A guess, not measured: some lines
// more than processors fetch on their own.
const matAhead = 1024

// callUnits is the number of units that a call multiplies with a tile: 8 rows of Q5_K take some 750 cycles each, by a model of
// the Cortex-A57.
const callUnits = 256

// mul multiplies a tile by assembly, if the processor has the instructions. Everything has been checked.
func (l *matLayout) mul(t *matTile) {
	if useNEON {
		l.mulNEON(t)
	} else {
		l.mulGeneric(t)
	}
}

func (l *matLayout) mulNEON(t *matTile) {
	c := t.call(l.panelBytes(t.units))
	switch l.kind {
	case matQ8:
		matQ8NEON(&c)
	case matQ4:
		matQ4NEON(&c)
	case matQ4Min:
		matQ4MinNEON(&c)
	case matQ5:
		matQ5NEON(&c)
	case matQ5Min:
		matQ5MinNEON(&c)
	case matQ4K:
		matQ4KNEON(&c)
	case matQ5K:
		matQ5KNEON(&c)
	case matQ6K:
		matQ6KNEON(&c)
	case matF32:
		matF32NEON(&c)
	case matF16:
		matF16NEON(&c)
	case matBF16:
		matBF16NEON(&c)
	}
}

//go:noescape
func matQ8NEON(c *matCall)

//go:noescape
func matQ4NEON(c *matCall)

//go:noescape
func matQ4MinNEON(c *matCall)

//go:noescape
func matQ5NEON(c *matCall)

//go:noescape
func matQ5MinNEON(c *matCall)

//go:noescape
func matQ4KNEON(c *matCall)

//go:noescape
func matQ5KNEON(c *matCall)

//go:noescape
func matQ6KNEON(c *matCall)

//go:noescape
func matF32NEON(c *matCall)

//go:noescape
func matF16NEON(c *matCall)

//go:noescape
func matBF16NEON(c *matCall)

// quantizeBlocks quantises whole blocks of values, at least one, to row r of a tile. All tiers give the same bits.
func quantizeBlocks(tile []byte, x []float32, r, height int) {
	if !useNEON {
		quantizeBlocksGeneric(tile, x, r, height)
		return
	}
	_ = tile[len(x)/32*height*actBytes-1]
	actQuantizeNEON(&tile[32*r], &tile[32*height+4*r], &x[0], len(x)/32, height)
}

//go:noescape
func actQuantizeNEON(bytes, fields *byte, x *float32, blocks, height int)
