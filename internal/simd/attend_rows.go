package simd

import "math"

// PackKey writes the key of position p of a group to group [16*len(key)] as
// Rows have it, and returns its scale.
func PackKey(dst []int16, p int, key []float32) float32 { return packKey(dst, p, key, wideScale) }

// PackValue writes the value of position p, 0 or 1, of a pair to pair
// [2*len(value)] as Rows have it, and returns its scale.
func PackValue(dst []int16, p int, value []float32) float32 {
	return packValue(dst, p, value, wideScale)
}

// PackKey8 is PackKey for integers of 8 bits.
func PackKey8(dst []int8, p int, key []float32) float32 { return packKey(dst, p, key, narrowScale) }

// PackValue8 is PackValue for integers of 8 bits.
func PackValue8(dst []int8, p int, value []float32) float32 {
	return packValue(dst, p, value, narrowScale)
}

// packChunk is how many numbers are rounded before they are put in their places.
const packChunk = 64

type scaler func(x []float32) (scale, inverse float32)

func packKey[T int8 | int16](dst []T, p int, key []float32, f scaler) float32 {
	if len(dst) != group*len(key) || p < 0 || p >= group {
		panic("simd: PackKey: no place in the group")
	}
	scale, inverse := f(key)
	var room [packChunk]int16
	for at := 0; at < len(key); at += packChunk {
		rounded := room[:min(packChunk, len(key)-at)]
		roundRow(rounded, key[at:at+len(rounded)], inverse)
		pairs := dst[at*group+2*p:]
		for i := 0; i < len(rounded); i += 2 {
			to := pairs[i*group : i*group+2 : i*group+2]
			to[0], to[1] = T(rounded[i]), T(rounded[i+1])
		}
	}
	return scale
}

func packValue[T int8 | int16](dst []T, p int, value []float32, f scaler) float32 {
	if len(dst) != 2*len(value) || p < 0 || p > 1 {
		panic("simd: PackValue: no place in the pair")
	}
	scale, inverse := f(value)
	var room [packChunk]int16
	for at := 0; at < len(value); at += packChunk {
		rounded := room[:min(packChunk, len(value)-at)]
		roundRow(rounded, value[at:at+len(rounded)], inverse)
		row := dst[2*at:][:2*len(rounded)]
		for i, x := range rounded {
			row[2*i+p] = T(x)
		}
	}
	return scale
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
