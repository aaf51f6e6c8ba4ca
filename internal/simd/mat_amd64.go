//go:build !purego

package simd

import "unsafe"

// callUnits is the number of units that a call multiplies with a tile.
const callUnits = 512

// mul multiplies a tile by the widest kernel there is. Everything has been checked.
func (l *matLayout) mul(t *matTile) {
	switch {
	case useAVX512:
		l.mulAVX512(t)
	case useAVXVNNI && l.form == Bytes:
		l.mulAVXVNNI(t)
	case useAVX2:
		l.mulAVX2(t)
	default:
		l.mulGeneric(t)
	}
}

func (l *matLayout) mulAVX512(t *matTile) {
	c := t.call(l.panelBytes(t.units))
	if t.scratch != nil && t.tiles > 1 && l.form == Bytes && l.kind != matQ8 {
		l.mulExpanded(t, c)
		return
	}
	switch l.kind {
	case matQ8:
		matQ8AVX512(&c)
	case matQ4:
		matQ4AVX512(&c)
	case matQ4Min:
		matQ4MinAVX512(&c)
	case matQ5:
		matQ5AVX512(&c)
	case matQ5Min:
		matQ5MinAVX512(&c)
	case matQ4K:
		matQ4KAVX512(&c)
	case matQ5K:
		matQ5KAVX512(&c)
	case matQ6K:
		matQ6KAVX512(&c)
	case matF32:
		matF32AVX512(&c)
	case matF16:
		matF16AVX512(&c)
	case matBF16:
		matBF16AVX512(&c)
	}
}

// mulExpanded multiplies tiles by panels that it first unpacks to scratch, a stretch of columns at a time. It takes the same
// steps as the kernels that unpack as they go. The call is passed by value: what is stored through a pointer would have to
// be on the heap.
func (l *matLayout) mulExpanded(t *matTile, c matCall) {
	skip := -uintptr(unsafe.Pointer(&t.scratch[0])) & 63
	c.w = &t.scratch[skip]
	w, act := t.w, c.act
	for p := range t.panels {
		c.act, c.first, c.undo = act, 1, 1
		for units := t.units; units > 0; units -= c.units {
			c.dst, c.panels, c.left, c.units = &t.dst[p*MatRows], 1, t.tiles, stretch(units)
			l.expandAVX512(c.w, &w[0], c.units, c.ahead)
			if c.units == units {
				c.undo = l.undoShift()
			}
			switch {
			case l.half:
				matWideHalfAVX512(&c)
			case l.min:
				matWideMinAVX512(&c)
			default:
				matWideAVX512(&c)
			}
			c.first = 0
			c.act = unsafe.Add(c.act, c.units*2*t.rows*actBytes)
			w = w[l.panelBytes(c.units):]
		}
	}
}

// stretch is how many of so many units to expand next: an even share, in whole scales of k layouts.
func stretch(units int) int {
	n := (units + wideUnits - 1) / wideUnits
	return min(units, ((units+n-1)/n+3)&^3)
}

func (l *matLayout) expandAVX512(dst, w *byte, units, ahead int) {
	switch l.kind {
	case matQ4:
		matExpandQ4AVX512(dst, w, units, ahead)
	case matQ4Min:
		matExpandQ4MinAVX512(dst, w, units, ahead)
	case matQ5:
		matExpandQ5AVX512(dst, w, units, ahead)
	case matQ5Min:
		matExpandQ5MinAVX512(dst, w, units, ahead)
	case matQ4K:
		matExpandQ4KAVX512(dst, w, units, ahead)
	case matQ5K:
		matExpandQ5KAVX512(dst, w, units, ahead)
	case matQ6K:
		matExpandQ6KAVX512(dst, w, units, ahead)
	}
}

func (l *matLayout) mulAVX2(t *matTile) {
	c := t.call(l.panelBytes(t.units))
	switch l.kind {
	case matQ8:
		matQ8AVX2(&c)
	case matQ4:
		matQ4AVX2(&c)
	case matQ4Min:
		matQ4MinAVX2(&c)
	case matQ5:
		matQ5AVX2(&c)
	case matQ5Min:
		matQ5MinAVX2(&c)
	case matQ4K:
		matQ4KAVX2(&c)
	case matQ5K:
		matQ5KAVX2(&c)
	case matQ6K:
		matQ6KAVX2(&c)
	case matF32:
		matF32AVX2(&c)
	case matF16:
		matF16AVX2(&c)
	case matBF16:
		matBF16AVX2(&c)
	}
}

func (l *matLayout) mulAVXVNNI(t *matTile) {
	c := t.call(l.panelBytes(t.units))
	switch l.kind {
	case matQ8:
		matQ8AVXVNNI(&c)
	case matQ4:
		matQ4AVXVNNI(&c)
	case matQ4Min:
		matQ4MinAVXVNNI(&c)
	case matQ5:
		matQ5AVXVNNI(&c)
	case matQ5Min:
		matQ5MinAVXVNNI(&c)
	case matQ4K:
		matQ4KAVXVNNI(&c)
	case matQ5K:
		matQ5KAVXVNNI(&c)
	case matQ6K:
		matQ6KAVXVNNI(&c)
	}
}

// quantizeBlocks quantises whole blocks of values, at least one, to row r of a tile. All tiers give the same bits.
func quantizeBlocks(tile []byte, x []float32, r, height int) {
	if !useAVX2 {
		quantizeBlocksGeneric(tile, x, r, height)
		return
	}
	_ = tile[len(x)/32*height*actBytes-1]
	actQuantizeAVX2(&tile[32*r], &tile[32*height+4*r], &x[0], len(x)/32, height)
}

//go:noescape
func actQuantizeAVX2(bytes, fields *byte, x *float32, blocks, height int)
