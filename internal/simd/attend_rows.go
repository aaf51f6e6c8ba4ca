package simd

import "math"

// PackKey writes the key of position p of a group to group [16*len(key)] as
// Rows have it, and returns its scale.
func PackKey(dst []int16, p int, key []float32) float32 {
	if len(dst) != group*len(key) || p < 0 || p >= group {
		panic("simd: PackKey: no place in the group")
	}
	scale, inverse := rowScale(key)
	for d, x := range key {
		dst[d/2*2*group+p*2+d%2] = roundInt16(x * inverse)
	}
	return scale
}

// PackValue writes the value of position p, 0 or 1, of a pair to pair
// [2*len(value)] as Rows have it, and returns its scale.
func PackValue(dst []int16, p int, value []float32) float32 {
	if len(dst) != 2*len(value) || p < 0 || p > 1 {
		panic("simd: PackValue: no place in the pair")
	}
	scale, inverse := rowScale(value)
	for d, x := range value {
		dst[2*d+p] = roundInt16(x * inverse)
	}
	return scale
}

// packRow is the same for a query, whose numbers lie in order.
func packRow(dst []int16, x []float32) float32 {
	scale, inverse := rowScale(x)
	for d, v := range x {
		dst[d] = roundInt16(v * inverse)
	}
	return scale
}

// rowNorm is the length, as a vector, to which rows are scaled before rounding.
// By the inequality of Cauchy and Schwarz the product of two of them, each with
// its roundings at most 46000+16 long, fits an int32. So a row of even numbers
// has about as many bits as one of large and small ones needs.
const rowNorm = 46000

// rowScale returns the scale of a row and its inverse. A number that is not
// finite makes the scale NaN, and with it all that is computed from the row.
func rowScale(x []float32) (scale, inverse float32) {
	var squares, largest float32
	for _, v := range x {
		squares += v * v
		largest = max(largest, float32(math.Abs(float64(v))))
	}
	norm := float32(math.Sqrt(float64(squares)))
	switch scale = max(norm/rowNorm, largest/math.MaxInt16); {
	case !(scale <= math.MaxFloat32):
		return float32(math.NaN()), 0
	case scale < 1e-30:
		return 0, 0
	}
	return scale, 1 / scale
}

// roundInt16 rounds to the nearest integer, ties to even: the sum has it in its
// low bits.
func roundInt16(x float32) int16 {
	return int16(math.Float32bits(float32(x) + 3<<22))
}
