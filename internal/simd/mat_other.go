//go:build !amd64 || purego

package simd

// mul multiplies a tile.
func (l *matLayout) mul(t *matTile) { l.mulGeneric(t) }
