package simd

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Form is a set of ways in which activations are kept for matrices.
type Form uint8

const (
	Bytes  Form = 1 << iota // 8-bit blocks of 32 columns: for the quantised formats
	Floats                  // as they are: for F32, F16 and BF16
)

// TileRows is the most rows that a kernel takes at once, and the unit in which rows are shared out.
const TileRows = 8

// Act holds rows of activations in the forms that matrices multiply, made once and shared by all matrices that read them.
//
// Bytes: each 32 columns of a row are quantised to signed bytes q = round(x * 127/max|x|), ties to even, with the float32
// scale max|x|/127. A block with NaN or an infinity in it has no finite scale, so that what is computed from it is not
// finite either. The rows lie in tiles of TileRows, the remaining ones in tiles of 4, 2 and 1. Per block a tile has 32
// bytes of each row, then four words of each row, field by field: the scale, scale*sum(q), and the integers -128*sum(q)
// and -128*sum of the first 16 q, with which kernels correct for unsigned weights.
//
// Floats: in the same tiles, column by column the values of all rows.
type Act struct {
	forms      Form
	rows, cols int
	blocks     int // of 32 columns, padded with zeros to an even number
	wide       int // columns, padded with zeros to a multiple of floatCols
	bytes      []byte
	floats     []float32
}

// actBytes is what a row takes in a block.
const actBytes = 32 + 4*4

// NewAct returns room for so many rows and columns (or fewer rows of more columns) in the given forms.
func NewAct(rows, cols int, forms Form) *Act {
	a := &Act{forms: forms}
	if forms&Bytes != 0 {
		a.bytes = make([]byte, rows*actBlocks(cols)*actBytes)
	}
	if forms&Floats != 0 {
		a.floats = make([]float32, rows*actWide(cols))
	}
	return a
}

func actBlocks(cols int) int { return (cols + 63) / 64 * 2 }

func actWide(cols int) int { return (cols + floatCols - 1) / floatCols * floatCols }

// Rows is the number of rows that Reset was given.
func (a *Act) Rows() int { return a.rows }

// Reset makes a hold rows of cols activations each, whose values Set brings. It panics where there is no room.
func (a *Act) Reset(rows, cols int) {
	a.rows, a.cols, a.blocks, a.wide = rows, cols, actBlocks(cols), actWide(cols)
	if rows < 0 || cols <= 0 || a.forms&Bytes != 0 && rows*a.blocks*actBytes > len(a.bytes) ||
		a.forms&Floats != 0 && rows*a.wide > len(a.floats) {
		panic(fmt.Sprintf("simd: no room for %d rows of %d activations", rows, cols))
	}
}

// Set fills the rows [row0, row1): row r from x[r*stride:][:cols]. Workers may set different rows at the same time.
func (a *Act) Set(x []float32, stride, row0, row1 int) {
	if row0 < 0 || row1 > a.rows {
		panic(fmt.Sprintf("simd: rows %d to %d of %d", row0, row1, a.rows))
	}
	for r := row0; r < row1; r++ {
		row := x[r*stride:][:a.cols]
		first, height := tileOf(a.rows, r)
		if a.forms&Bytes != 0 {
			a.quantize(a.bytes[first*a.blocks*actBytes:], row, r-first, height)
		}
		if a.forms&Floats != 0 {
			a.spread(a.floats[first*a.wide:][:height*a.wide], row, r-first, height)
		}
	}
}

// tile sets the activations of t to the tiles from a row on, in the form.
func (a *Act) tile(t *matTile, form Form, row int) {
	if form == Floats {
		t.floats = a.floats[row*a.wide:]
		t.tileBytes = 4 * a.wide * t.rows
		return
	}
	t.bytes = a.bytes[row*a.blocks*actBytes:]
	t.tileBytes = a.blocks * actBytes * t.rows
}

// tileHeight is the height of the next tile where so many rows are left.
func tileHeight(rows int) int {
	switch {
	case rows >= 8:
		return 8
	case rows >= 4:
		return 4
	case rows >= 2:
		return 2
	}
	return 1
}

// tileOf finds the tile of a row: its first row, and its height.
func tileOf(rows, row int) (first, height int) {
	first = row / TileRows * TileRows
	for height = tileHeight(rows - first); row >= first+height; height = tileHeight(rows - first) {
		first += height
	}
	return first, height
}

// spread writes row r of a tile of floats.
func (a *Act) spread(tile, x []float32, r, height int) {
	if height == 1 {
		clear(tile[copy(tile, x):])
		return
	}
	for i, v := range x {
		tile[i*height+r] = v
	}
	for i := len(x); i < a.wide; i++ {
		tile[i*height+r] = 0
	}
}

// quantize writes row r of a tile. Columns that are missing in the last blocks are zero.
func (a *Act) quantize(tile []byte, x []float32, r, height int) {
	whole := len(x) / 32
	if whole > 0 {
		quantizeBlocks(tile, x[:32*whole], r, height)
	}
	for b := whole; b < a.blocks; b++ {
		var rest [32]float32
		if b == whole {
			copy(rest[:], x[32*b:])
		}
		quantizeBlocksGeneric(tile[b*height*actBytes:], rest[:], r, height)
	}
}

// quantizeBlocksGeneric quantises whole blocks of values to row r of a tile.
func quantizeBlocksGeneric(tile []byte, x []float32, r, height int) {
	for ; len(x) >= 32; tile, x = tile[height*actBytes:], x[32:] {
		quantizeBlock(tile[:height*actBytes], (*[32]float32)(x), r, height)
	}
}

// quantizeBlock quantises 32 values to row r of a block of a tile.
func quantizeBlock(block []byte, x *[32]float32, r, height int) {
	scale, inverse := actScale(x)
	var sum, half int32
	for i, v := range x {
		q := int32(-128) // what has no finite product, in a block without finite scale
		if p := v * inverse; p == p {
			q = int32(math.RoundToEven(float64(p)))
		}
		block[r*32+i] = byte(q)
		sum += q
		if i < 16 {
			half += q
		}
	}
	fields := block[32*height+4*r:]
	binary.LittleEndian.PutUint32(fields, math.Float32bits(scale))
	scaled := scale * -0x1p-7 * float32(-128*sum) // so that zero has the sign that assembly gives it
	binary.LittleEndian.PutUint32(fields[4*height:], math.Float32bits(scaled))
	binary.LittleEndian.PutUint32(fields[8*height:], uint32(-128*sum))
	binary.LittleEndian.PutUint32(fields[12*height:], uint32(-128*half))
}

// actScale returns the scale of a block and what its values are multiplied with. The second is zero where the block is
// zero, or so small that its inverse is not finite, or has a value that is not finite.
func actScale(x *[32]float32) (scale, inverse float32) {
	var most uint32 // as integers, magnitudes are in order, and NaN is above infinity
	for _, v := range x {
		most = max(most, math.Float32bits(v)&0x7fffffff)
	}
	magnitude := math.Float32frombits(most)
	switch {
	case most >= 0x7f800000:
		return magnitude / 127, 0
	case magnitude < actTiny:
		return 0, 0
	}
	return magnitude / 127, 127 / magnitude
}

// actTiny is the magnitude below which activations count as zero.
const actTiny = 1e-30
