//go:build (!amd64 && !arm64) || purego

package simd

// callUnits is the number of units that a call multiplies with a tile.
const callUnits = 512

// mul multiplies a tile.
func (l *matLayout) mul(t *matTile) { l.mulGeneric(t) }

// quantizeBlocks quantises whole blocks of values to row r of a tile.
func quantizeBlocks(tile []byte, x []float32, r, height int) {
	quantizeBlocksGeneric(tile, x, r, height)
}
