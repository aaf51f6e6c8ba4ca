//go:build (amd64 || arm64) && !purego

package simd

import "unsafe"

// matCall is matTile as assembly reads it, and what it counts with; strides and steps are in bytes.
type matCall struct {
	dst        *float32 // moves on with the panels
	stride     int
	w          *byte
	act        unsafe.Pointer
	units      int
	panels     int // counts down to 0
	panelBytes int
	ahead      int // where to prefetch weights
	rows       int
	tiles      int
	left       int // tiles that the panel at hand has yet to meet
	dstStep    int // from one tile to the next
	actStep    int
	first      int     // of expanded panels: nonzero where dst holds nothing yet
	undo       float32 // what dst is multiplied with at the end
	half       int     // of a panel, in whole lines of 64 bytes
}

// call describes the work for assembly.
func (t *matTile) call(panelBytes int) matCall {
	c := matCall{
		dst: &t.dst[0], stride: 4 * t.stride, w: &t.w[0], units: t.units, panels: t.panels, panelBytes: panelBytes,
		ahead: panelBytes, half: (panelBytes/2 + 63) &^ 63, rows: t.rows, tiles: t.tiles, left: t.tiles, dstStep: 4 * t.stride * t.rows, actStep: t.tileBytes,
		first: 1, undo: 1,
	}
	if t.rows == 1 {
		c.ahead = matAhead
	}
	if t.bytes != nil {
		c.act = unsafe.Pointer(&t.bytes[0])
	} else {
		c.act = unsafe.Pointer(&t.floats[0])
	}
	return c
}
