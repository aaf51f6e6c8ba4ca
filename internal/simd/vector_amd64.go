//go:build !purego

package simd

func dot(a, b []float32) float32 {
	switch {
	case len(a) == 0 || !useAVX2:
		return dotGeneric(a, b)
	case useAVX512:
		return dotAVX512(&a[0], &b[0], len(a))
	}
	return dotAVX2(&a[0], &b[0], len(a))
}

func add(dst, x []float32) {
	switch {
	case len(dst) == 0 || !useAVX2:
		addGeneric(dst, x)
	case useAVX512:
		addAVX512(&dst[0], &x[0], len(dst))
	default:
		addAVX2(&dst[0], &x[0], len(dst))
	}
}

func axpy(dst []float32, a float32, x []float32) {
	switch {
	case len(dst) == 0 || !useAVX2:
		axpyGeneric(dst, a, x)
	case useAVX512:
		axpyAVX512(&dst[0], &x[0], len(dst), a)
	default:
		axpyAVX2(&dst[0], &x[0], len(dst), a)
	}
}

func mul(dst, x []float32, a float32) {
	switch {
	case len(dst) == 0 || !useAVX2:
		mulGeneric(dst, x, a)
	case useAVX512:
		mulAVX512(&dst[0], &x[0], len(dst), a)
	default:
		mulAVX2(&dst[0], &x[0], len(dst), a)
	}
}

func shiftMul(dst, x []float32, shift, a float32) {
	switch {
	case len(dst) == 0 || !useAVX2:
		shiftMulGeneric(dst, x, shift, a)
	case useAVX512:
		shiftMulAVX512(&dst[0], &x[0], len(dst), shift, a)
	default:
		shiftMulAVX2(&dst[0], &x[0], len(dst), shift, a)
	}
}

func mulScaled(dst, x, w []float32, a float32) {
	switch {
	case len(dst) == 0 || !useAVX2:
		mulScaledGeneric(dst, x, w, a)
	case useAVX512:
		mulScaledAVX512(&dst[0], &x[0], &w[0], len(dst), a)
	default:
		mulScaledAVX2(&dst[0], &x[0], &w[0], len(dst), a)
	}
}

func rotateHalves(x, cos, sin []float32) {
	switch heads := len(x) / (2 * len(cos)); {
	case heads == 0 || !useAVX2:
		rotateHalvesGeneric(x, cos, sin)
	case useAVX512:
		rotateHalvesAVX512(&x[0], &cos[0], &sin[0], len(cos), heads)
	default:
		rotateHalvesAVX2(&x[0], &cos[0], &sin[0], len(cos), heads)
	}
}

func rotatePairs(x, cos, sin []float32) {
	switch heads := len(x) / (2 * len(cos)); {
	case heads == 0 || !useAVX2 || len(cos)%4 != 0:
		rotatePairsGeneric(x, cos, sin)
	case useAVX512 && len(cos)%8 == 0:
		rotatePairsAVX512(&x[0], &cos[0], &sin[0], len(cos), heads)
	default:
		rotatePairsAVX2(&x[0], &cos[0], &sin[0], len(cos), heads)
	}
}

func swiGLU(dst, gate, up []float32) {
	switch {
	case len(dst) == 0 || !useAVX2:
		swiGLUGeneric(dst, gate, up)
	case useAVX512:
		swiGLUAVX512(&dst[0], &gate[0], &up[0], len(dst))
	default:
		swiGLUAVX2(&dst[0], &gate[0], &up[0], len(dst))
	}
}

func geGLU(dst, gate, up []float32) {
	switch {
	case len(dst) == 0 || !useAVX2:
		geGLUGeneric(dst, gate, up)
	case useAVX512:
		geGLUAVX512(&dst[0], &gate[0], &up[0], len(dst))
	default:
		geGLUAVX2(&dst[0], &gate[0], &up[0], len(dst))
	}
}

func expSum(dst, x []float32, offset float32) float32 {
	switch {
	case len(dst) == 0 || !useAVX2:
		return expSumGeneric(dst, x, offset)
	case useAVX512:
		return expSumAVX512(&dst[0], &x[0], len(dst), offset)
	}
	return expSumAVX2(&dst[0], &x[0], len(dst), offset)
}

func maximum(x []float32) float32 {
	switch {
	case len(x) == 0 || !useAVX2:
		return maxGeneric(x)
	case useAVX512:
		return maxAVX512(&x[0], len(x))
	}
	return maxAVX2(&x[0], len(x))
}

func scan(x []float32, limit float32) int {
	switch {
	case len(x) == 0 || !useAVX2:
		return scanGeneric(x, limit)
	case useAVX512:
		return scanAVX512(&x[0], len(x), limit)
	}
	return scanAVX2(&x[0], len(x), limit)
}

func collect(dst []int32, x []float32, base int, limit float32) int {
	switch {
	case len(x) == 0 || !useAVX2:
		return collectGeneric(dst, x, base, limit)
	case useAVX512:
		return collectAVX512(&dst[0], &x[0], len(x), base, limit)
	}
	return collectAVX2(&dst[0], &x[0], len(x), base, limit)
}

// rowSize sums in an order of its own in each tier.
func rowSize(x []float32) (squares, largest float32) {
	switch {
	case len(x) == 0 || !useAVX2:
		return rowSizeGeneric(x)
	case useAVX512:
		return rowSizeAVX512(&x[0], len(x))
	}
	return rowSizeAVX2(&x[0], len(x))
}

// The kernels below round whole registers; what is left over is rounded alike in
// plain Go.

func roundRow(dst []int16, x []float32, a float32) {
	n := whole(len(dst))
	switch {
	case n == 0:
	case useAVX512:
		roundRowAVX512(&dst[0], &x[0], n, a)
	default:
		roundRowAVX2(&dst[0], &x[0], n, a)
	}
	roundRowGeneric(dst[n:], x[n:], a)
}

func packKey(dst []int16, p int, x []float32, a float32) {
	n := whole(len(x))
	switch {
	case n == 0:
	case useAVX512:
		packKeyAVX512(&dst[2*p], &x[0], n, a)
	default:
		packKeyAVX2(&dst[2*p], &x[0], n, a)
	}
	packKeyGeneric(dst[n*group:], p, x[n:], a)
}

func packValue(dst []int16, p int, x []float32, a float32) {
	n := whole(len(x))
	switch {
	case n == 0:
	case useAVX512:
		packValueAVX512(&dst[p], &x[0], n, a)
	default:
		packValueAVX2(&dst[p], &x[0], n, a)
	}
	packValueGeneric(dst[2*n:], p, x[n:], a)
}

// whole is the part of n numbers that fills registers.
func whole(n int) int {
	switch {
	case useAVX512:
		return n &^ 15
	case useAVX2:
		return n &^ 7
	}
	return 0
}
