package simd

import "math"

// PackKey writes the key of position p of a group to group [16*len(key)] as
// Rows have it, and returns its scale.
func PackKey(dst []int16, p int, key []float32) float32 {
	checkKey(len(dst), p, len(key))
	scale, inverse := wideScale(key)
	packKey(dst, p, key, inverse)
	return scale
}

// PackValue writes the value of position p, 0 or 1, of a pair to pair
// [2*len(value)] as Rows have it, and returns its scale. It leaves the other
// position alone, which may be written at the same time.
func PackValue(dst []int16, p int, value []float32) float32 {
	checkValue(len(dst), p, len(value))
	scale, inverse := wideScale(value)
	packValue(dst, p, value, inverse)
	return scale
}

// PackKey8 is PackKey for integers of 8 bits.
func PackKey8(dst []int8, p int, key []float32) float32 {
	checkKey(len(dst), p, len(key))
	scale, inverse := narrowScale(key)
	packKeyGeneric(dst, p, key, inverse)
	return scale
}

// PackValue8 is PackValue for integers of 8 bits.
func PackValue8(dst []int8, p int, value []float32) float32 {
	checkValue(len(dst), p, len(value))
	scale, inverse := narrowScale(value)
	packValueGeneric(dst, p, value, inverse)
	return scale
}

func checkKey(room, p, dim int) {
	if room != group*dim || dim%2 != 0 || p < 0 || p >= group {
		panic("simd: PackKey: no place in the group")
	}
}

func checkValue(room, p, dim int) {
	if room != 2*dim || p < 0 || p > 1 {
		panic("simd: PackValue: no place in the pair")
	}
}

func packKeyGeneric[T int8 | int16](dst []T, p int, x []float32, a float32) {
	for d, v := range x {
		dst[d/2*2*group+2*p+d%2] = T(roundInt16(v * a))
	}
}

func packValueGeneric[T int8 | int16](dst []T, p int, x []float32, a float32) {
	for d, v := range x {
		dst[2*d+p] = T(roundInt16(v * a))
	}
}

// packRow rounds a query as PackKey does a key; its numbers lie in order.
func packRow(dst []int16, x []float32) float32 {
	scale, inverse := wideScale(x)
	roundRow(dst, x, inverse)
	return scale
}

// rowNorm is the length, as a vector, to which rows are scaled before rounding.
// By the inequality of Cauchy and Schwarz the product of two of them, each with
// its roundings at most 46000+16 long, fits an int32. So a row of even numbers
// has about as many bits as one of large and small ones needs.
const rowNorm = 46000

// wideScale returns the scale of a row of 16-bit integers, and its inverse.
func wideScale(x []float32) (scale, inverse float32) {
	squares, largest := rowSize(x)
	norm := float32(math.Sqrt(float64(squares)))
	return rowScale(max(norm/rowNorm, largest/math.MaxInt16))
}

// narrowScale is the same for 8-bit integers, whose products never overflow.
func narrowScale(x []float32) (scale, inverse float32) {
	squares, largest := rowSize(x)
	if !(squares <= math.MaxFloat32) {
		largest = squares
	}
	return rowScale(largest / math.MaxInt8)
}

// rowScale makes scales of numbers that are not finite NaN, and with them all
// that is computed from the row; and those of numbers that are next to nothing
// zero.
func rowScale(scale float32) (s, inverse float32) {
	switch {
	case !(scale <= math.MaxFloat32):
		return float32(math.NaN()), 0
	case scale < 1e-30:
		return 0, 0
	}
	return scale, 1 / scale
}

func rowSizeGeneric(x []float32) (squares, largest float32) {
	for _, v := range x {
		squares += v * v
		largest = max(largest, float32(math.Abs(float64(v))))
	}
	return squares, largest
}

// roundRowGeneric rounds x*a.
func roundRowGeneric(dst []int16, x []float32, a float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = roundInt16(v * a)
	}
}

// roundInt16 rounds to the nearest integer, ties to even: the sum has it in its
// low bits.
func roundInt16(x float32) int16 {
	return int16(math.Float32bits(float32(x) + 3<<22))
}
