//go:build !purego

package simd

// mul multiplies a tile by the widest kernel there is. Everything has been checked.
func (l *matLayout) mul(t *matTile) {
	if useAVX512 {
		l.mulAVX512(t)
		return
	}
	l.mulGeneric(t)
}

func (l *matLayout) mulAVX512(t *matTile) {
	ahead := l.panelBytes(t.units)
	dst, w, x := &t.dst[0], &t.w[0], &t.bytes[0]
	switch l.kind {
	case matQ8:
		matQ8AVX512(dst, t.stride, w, x, t.units, t.panels, t.rows, ahead)
	case matQ4:
		matQ4AVX512(dst, t.stride, w, x, t.units, t.panels, t.rows, ahead)
	case matQ4Min:
		matQ4MinAVX512(dst, t.stride, w, x, t.units, t.panels, t.rows, ahead)
	case matQ5:
		matQ5AVX512(dst, t.stride, w, x, t.units, t.panels, t.rows, ahead)
	case matQ5Min:
		matQ5MinAVX512(dst, t.stride, w, x, t.units, t.panels, t.rows, ahead)
	case matQ4K:
		matQ4KAVX512(dst, t.stride, w, x, t.units, t.panels, t.rows, ahead)
	case matQ5K:
		matQ5KAVX512(dst, t.stride, w, x, t.units, t.panels, t.rows, ahead)
	case matQ6K:
		matQ6KAVX512(dst, t.stride, w, x, t.units, t.panels, t.rows, ahead)
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

//go:noescape
func matQ8AVX512(dst *float32, stride int, w, act *byte, units, panels, rows, ahead int)

//go:noescape
func matQ4AVX512(dst *float32, stride int, w, act *byte, units, panels, rows, ahead int)

//go:noescape
func matQ4MinAVX512(dst *float32, stride int, w, act *byte, units, panels, rows, ahead int)

//go:noescape
func matQ5AVX512(dst *float32, stride int, w, act *byte, units, panels, rows, ahead int)

//go:noescape
func matQ5MinAVX512(dst *float32, stride int, w, act *byte, units, panels, rows, ahead int)

//go:noescape
func matQ4KAVX512(dst *float32, stride int, w, act *byte, units, panels, rows, ahead int)

//go:noescape
func matQ5KAVX512(dst *float32, stride int, w, act *byte, units, panels, rows, ahead int)

//go:noescape
func matQ6KAVX512(dst *float32, stride int, w, act *byte, units, panels, rows, ahead int)
