package simd

import (
	"math"
	"slices"
)

// Max returns the largest number of x. NaN is passed over; -Inf if there is
// nothing else.
func Max(x []float32) float32 { return maximum(x) }

// Argmax returns the index of the largest number of x, the first of equal ones.
// NaN is passed over; -1 if there is nothing else.
func Argmax(x []float32) int {
	if i := scan(x, maximum(x)); i < len(x) {
		return i
	}
	return -1
}

// AppendAtLeast appends to dst, in ascending order, the indices of the numbers
// of x that are not below limit. NaN is passed over.
func AppendAtLeast(dst []int32, x []float32, limit float32) []int32 {
	for lo := 0; lo < len(x); lo += collectStep {
		hi, n := min(lo+collectStep, len(x)), len(dst)
		dst = slices.Grow(dst, hi-lo+collectRoom)
		found := collect(dst[n:n+hi-lo+collectRoom], x[lo:hi], lo, limit)
		dst = dst[:n+found]
	}
	return dst
}

// collect may write collectRoom numbers beyond those it finds. It is called for
// collectStep numbers at a time, so that dst need not have room for all of x.
const (
	collectStep = 1024
	collectRoom = 16
)

func maxGeneric(x []float32) float32 {
	top := float32(math.Inf(-1))
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	return top
}

// scanGeneric returns the index of the first number that is not below limit,
// len(x) if there is none.
func scanGeneric(x []float32, limit float32) int {
	for i, v := range x {
		if v >= limit {
			return i
		}
	}
	return len(x)
}

// collectGeneric writes the indices, from base on, of the numbers that are not
// below limit, and returns how many there are.
func collectGeneric(dst []int32, x []float32, base int, limit float32) (n int) {
	for i, v := range x {
		if v >= limit {
			dst[n] = int32(base + i)
			n++
		}
	}
	return n
}
