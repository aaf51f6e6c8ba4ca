package simd

import "math"

// PackKey writes the key of position p of a group to group [16*len(key)] as
// Rows have it, and returns its scale.
func PackKey(dst []int16, p int, key []float32) float32 {
	if len(dst) != group*len(key) || p < 0 || p >= group {
		panic("simd: PackKey: no place in the group")
	}
	scale, inverse := rowScale(key)
	var room [packChunk]int16
	for at := 0; at < len(key); at += packChunk {
		ints := room[:min(packChunk, len(key)-at)]
		roundRow(ints, key[at:at+len(ints)], inverse)
		pairs := dst[at*group+2*p:]
		for i := 0; i < len(ints); i += 2 {
			to := pairs[i*group : i*group+2 : i*group+2]
			to[0], to[1] = ints[i], ints[i+1]
		}
	}
	return scale
}

// packChunk is how many numbers are rounded before they are put in their places.
const packChunk = 64

// PackValue writes the value of position p, 0 or 1, of a pair to pair
// [2*len(value)] as Rows have it, and returns its scale.
func PackValue(dst []int16, p int, value []float32) float32 {
	if len(dst) != 2*len(value) || p < 0 || p > 1 {
		panic("simd: PackValue: no place in the pair")
	}
	scale, inverse := rowScale(value)
	var room [packChunk]int16
	for at := 0; at < len(value); at += packChunk {
		ints := room[:min(packChunk, len(value)-at)]
		roundRow(ints, value[at:at+len(ints)], inverse)
		row := dst[2*at:][:2*len(ints)]
		for i, x := range ints {
			row[2*i+p] = x
		}
	}
	return scale
}

// packRow is the same for a query, whose numbers lie in order.
func packRow(dst []int16, x []float32) float32 {
	scale, inverse := rowScale(x)
	roundRow(dst, x, inverse)
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
	squares, largest := rowSize(x)
	norm := float32(math.Sqrt(float64(squares)))
	switch scale = max(norm/rowNorm, largest/math.MaxInt16); {
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
