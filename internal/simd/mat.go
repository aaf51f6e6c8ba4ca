package simd

import (
	"fmt"
	"unsafe"

	"example.com/minillm/internal/quant"
)

// Mat is a matrix of weights re-laid for multiplication: Rows outputs of Cols inputs each, as a checkpoint stores a linear
// layer. The rows lie in panels of 16 (see matLayout); the values are those of the checkpoint's format, exactly.
//
// Fill it with Pack, then multiply from any number of goroutines.
//
// The design is the outcome of measurements, these on a core of a Sapphire Rapids with 3 GHz, whose limits are 767 GOPS of
// VNNI and 179 GFLOPS. Every block of 32 columns costs 8 VPDPBUSD and three operations that scale their sum, so that 558
// GOPS can be reached. 1, 2, 4, 8 and 14 rows at a time gave 291, 401, 492, 531 and 543 on Q8_0: eight are enough. Two tiles
// and many panels in one call instead of one each: 478 to 508. Unpacking a panel once for many tiles: Q4_0 453 to 520, Q4_K
// 411 to 465, Q5_0 395 to 510, Q6_K 327 to 395. Code for two blocks instead of a rolled loop: +3 to +6 %. What lost: two
// panels at once, with activations broadcast to registers (515 with 6 rows); a block's weights kept in registers while rows
// pass by, whose sums then go through memory (410); two tiles at once, so that 16 rows unpack a panel once (+4 to +13 % in
// the cache, no more than noise and -5 % in a whole model); prefetching before workers wait for each other (a tie), or the
// keys that another sequence will ask for (a tie).
type Mat struct {
	Type       quant.Type
	Rows, Cols int
	layout     *matLayout
	units      int // of layout.cols columns in a panel, the last padded with zeros
	data       []byte
}

// MatRows is the number of rows in a panel, the unit in which work on a Mat is shared out.
const MatRows = 16

// MatBytes is the memory that a matrix of the format takes.
func MatBytes(t quant.Type, rows, cols int) int {
	l := layoutOf(t)
	return panelsOf(rows) * l.panelBytes(l.unitsOf(cols))
}

// NewMat returns a matrix in buf, which has MatBytes(t, rows, cols) bytes and starts at a multiple of 64. It panics where
// they do not fit, or where cols is no multiple of the format's block.
func NewMat(t quant.Type, rows, cols int, buf []byte) *Mat {
	l := layoutOf(t)
	m := &Mat{Type: t, Rows: rows, Cols: cols, layout: l, units: l.unitsOf(cols), data: buf}
	if rows <= 0 || cols <= 0 || cols%t.BlockSize() != 0 {
		panic(fmt.Sprintf("simd: no matrix of %d rows and %d columns of %v", rows, cols, t))
	}
	if want := MatBytes(t, rows, cols); len(buf) != want || uintptr(unsafe.Pointer(&buf[0]))%64 != 0 {
		panic(fmt.Sprintf("simd: matrix takes %d bytes at a multiple of 64, not %d", want, len(buf)))
	}
	return m
}

// Panels is the number of panels of MatRows rows; the last may be partly padding.
func (m *Mat) Panels() int { return panelsOf(m.Rows) }

// Bytes is the memory that the matrix takes, which is what one product with few rows reads.
func (m *Mat) Bytes() int { return len(m.data) }

// Form is what the matrix needs of its activations.
func (m *Mat) Form() Form { return m.layout.form }

func panelsOf(rows int) int { return (rows + MatRows - 1) / MatRows }

// panel returns the bytes of panels p and following.
func (m *Mat) panel(p int) []byte { return m.data[p*m.layout.panelBytes(m.units):] }

// How much one call of a kernel does: assembly can't be preempted, so it should be back in some tens of microseconds. It
// reads panels of so many bytes, which memory may have to bring, and multiplies callUnits units with a tile. Many rows are
// taken in blocks whose activations stay in the cache while all panels pass.
const (
	callBytes = 256 << 10
	blockRows = 128
)

// Mul multiplies the activation rows [row0, row1) by the weight rows o of the panels [panel0, panel1), as far as rows o
// exist. The product of row r goes to dst[(r-row0)*stride+o-panel0*MatRows]: dst may be a small buffer for one part of the
// whole. Nothing else is written. row0 is a multiple of TileRows, and so is row1 unless it is x.Rows(). Workers that share
// a product take disjoint parts of it.
//
// Quantised weights meet 8-bit activations: sums of 32 products are exact integers, and are scaled and added in float32 in
// the order of columns. Others meet float32 activations; their products are added in float32. The result of a row does not
// depend on the other rows, nor on how the work is cut.
func (m *Mat) Mul(dst []float32, stride int, x *Act, row0, row1, panel0, panel1 int) {
	if row0 >= row1 || panel0 >= panel1 {
		return
	}
	m.check(dst, stride, x, row0, row1, panel0, panel1)
	whole := min(panel1, m.Rows/MatRows)
	for r := row0; r < row1; r += blockRows {
		end := min(r+blockRows, row1)
		if end-r < manyRows {
			m.mulBlock(dst[(r-row0)*stride:], stride, x, r, end, panel0, whole, nil)
		} else {
			m.mulMany(dst[(r-row0)*stride:], stride, x, r, end, panel0, whole)
		}
		if whole < panel1 {
			m.mulPadded(dst[(r-row0)*stride+(whole-panel0)*MatRows:], stride, x, r, end)
		}
	}
}

func (m *Mat) check(dst []float32, stride int, x *Act, row0, row1, panel0, panel1 int) {
	switch {
	case row0 < 0 || row1 > x.rows || row0%TileRows != 0 || row1%TileRows != 0 && row1 != x.rows:
		panic(fmt.Sprintf("simd: rows %d to %d of %d are no whole tiles", row0, row1, x.rows))
	case panel0 < 0 || panel1 > m.Panels():
		panic(fmt.Sprintf("simd: panels %d to %d of %d", panel0, panel1, m.Panels()))
	case x.cols != m.Cols || x.forms&m.layout.form == 0:
		panic(fmt.Sprintf("simd: activations of %d columns for weights of %d in %v", x.cols, m.Cols, m.Type))
	case stride < 0 || (row1-row0-1)*stride+min(panel1*MatRows, m.Rows)-panel0*MatRows > len(dst):
		panic(fmt.Sprintf("simd: %d rows of stride %d do not fit in %d", row1-row0, stride, len(dst)))
	}
}

// mulMany is mulBlock with scratch for kernels that unpack a panel once for many tiles.
func (m *Mat) mulMany(dst []float32, stride int, x *Act, row0, row1, panel0, panel1 int) {
	var scratch [scratchBytes]byte
	m.mulBlock(dst, stride, x, row0, row1, panel0, panel1, scratch[:])
}

// From manyRows rows on it pays to unpack a panel, wideUnits units of wideBytes at a time: they and the activations that
// meet them fit in the first cache.
const (
	manyRows     = 4 * TileRows
	wideUnits    = 12
	wideBytes    = 640 * 2
	scratchBytes = wideUnits*wideBytes + 63
)

// mulBlock multiplies a block of rows with whole panels: some of them with the tiles of full height, then with the lower
// ones, until all are done.
func (m *Mat) mulBlock(dst []float32, stride int, x *Act, row0, row1, panel0, panel1 int, scratch []byte) {
	tiles := max(1, min((row1-row0)/TileRows, callUnits/m.units))
	step := max(1, min(callBytes/m.layout.panelBytes(m.units), callUnits/(m.units*tiles)))
	for p := panel0; p < panel1; p += step {
		for r := row0; r < row1; {
			t := matTile{stride: stride, w: m.panel(p), panels: min(step, panel1-p), tiles: 1, scratch: scratch}
			t.rows = tileHeight(row1 - r)
			if t.rows == TileRows {
				t.tiles = min(tiles, (row1-r)/TileRows)
			}
			t.dst = dst[(r-row0)*stride+(p-panel0)*MatRows:]
			m.mulTiles(&t, x, r)
			r += t.tiles * t.rows
		}
	}
}

// mulPadded multiplies a block of rows with the last panel, which has less than MatRows rows.
func (m *Mat) mulPadded(dst []float32, stride int, x *Act, row0, row1 int) {
	var buf [TileRows * MatRows]float32
	for r := row0; r < row1; {
		t := matTile{dst: buf[:], stride: MatRows, w: m.panel(m.Panels() - 1), panels: 1, tiles: 1, rows: tileHeight(row1 - r)}
		m.mulTiles(&t, x, r)
		for i := range t.rows {
			copy(dst[(r-row0+i)*stride:][:m.Rows%MatRows], buf[i*MatRows:])
		}
		r += t.rows
	}
}

// mulTiles multiplies tiles from a row on.
func (m *Mat) mulTiles(t *matTile, x *Act, row int) {
	t.units = m.units
	x.tile(t, m.layout.form, row)
	m.layout.mul(t)
}

// matTile is the work of one call of a kernel: some tiles of one height by some panels. Row r of tile i times panel p goes
// to dst[(i*rows+r)*stride+p*MatRows:].
type matTile struct {
	dst       []float32
	stride    int
	w         []byte    // from the first panel on
	bytes     []byte    // from the first tile on
	floats    []float32 // likewise, for weights that want Floats
	tileBytes int       // from one tile to the next
	units     int       // of a panel
	panels    int
	tiles     int
	rows      int    // of a tile
	scratch   []byte // of scratchBytes, or nil
}
