//go:build !purego

package simd

func dot(a, b []float32) float32 {
	if len(a) == 0 || !useNEON {
		return dotGeneric(a, b)
	}
	return dotNEON(&a[0], &b[0], len(a))
}

func add(dst, x []float32) {
	if len(dst) == 0 || !useNEON {
		addGeneric(dst, x)
	} else {
		addNEON(&dst[0], &x[0], len(dst))
	}
}

func axpy(dst []float32, a float32, x []float32) {
	if len(dst) == 0 || !useNEON {
		axpyGeneric(dst, a, x)
	} else {
		axpyNEON(&dst[0], &x[0], len(dst), a)
	}
}

func mul(dst, x []float32, a float32) {
	if len(dst) == 0 || !useNEON {
		mulGeneric(dst, x, a)
	} else {
		mulNEON(&dst[0], &x[0], len(dst), a)
	}
}

func shiftMul(dst, x []float32, shift, a float32) {
	if len(dst) == 0 || !useNEON {
		shiftMulGeneric(dst, x, shift, a)
	} else {
		shiftMulNEON(&dst[0], &x[0], len(dst), shift, a)
	}
}

func mulScaled(dst, x, w []float32, a float32) {
	if len(dst) == 0 || !useNEON {
		mulScaledGeneric(dst, x, w, a)
	} else {
		mulScaledNEON(&dst[0], &x[0], &w[0], len(dst), a)
	}
}

func rotateHalves(x, cos, sin []float32) {
	if heads := len(x) / (2 * len(cos)); heads == 0 || !useNEON {
		rotateHalvesGeneric(x, cos, sin)
	} else {
		rotateHalvesNEON(&x[0], &cos[0], &sin[0], len(cos), heads)
	}
}

func rotatePairs(x, cos, sin []float32) {
	if heads := len(x) / (2 * len(cos)); heads == 0 || !useNEON || len(cos)%4 != 0 {
		rotatePairsGeneric(x, cos, sin)
	} else {
		rotatePairsNEON(&x[0], &cos[0], &sin[0], len(cos), heads)
	}
}

func swiGLU(dst, gate, up []float32) {
	if len(dst) == 0 || !useNEON {
		swiGLUGeneric(dst, gate, up)
	} else {
		swiGLUNEON(&dst[0], &gate[0], &up[0], len(dst))
	}
}

func geGLU(dst, gate, up []float32) {
	if len(dst) == 0 || !useNEON {
		geGLUGeneric(dst, gate, up)
	} else {
		geGLUNEON(&dst[0], &gate[0], &up[0], len(dst))
	}
}

func expSum(dst, x []float32, offset float32) float32 {
	if len(dst) == 0 || !useNEON {
		return expSumGeneric(dst, x, offset)
	}
	return expSumNEON(&dst[0], &x[0], len(dst), offset)
}

func maximum(x []float32) float32 {
	if len(x) == 0 || !useNEON {
		return maxGeneric(x)
	}
	return maxNEON(&x[0], len(x))
}

func scan(x []float32, limit float32) int {
	if len(x) == 0 || !useNEON {
		return scanGeneric(x, limit)
	}
	return scanNEON(&x[0], len(x), limit)
}

// collect scans on from each number it finds, of which there are mostly few.
func collect(dst []int32, x []float32, base int, limit float32) (n int) {
	if !useNEON {
		return collectGeneric(dst, x, base, limit)
	}
	for i := scan(x, limit); i < len(x); i += scan(x[i:], limit) {
		dst[n] = int32(base + i)
		n++
		i++
	}
	return n
}

// rowSize sums in an order of its own in each tier.
func rowSize(x []float32) (squares, largest float32) {
	if len(x) == 0 || !useNEON {
		return rowSizeGeneric(x)
	}
	return rowSizeNEON(&x[0], len(x))
}

// The kernels below round pairs of whole registers; what is left over is rounded alike in plain Go.

func roundRow(dst []int16, x []float32, a float32) {
	n := whole(len(dst))
	if n > 0 {
		roundRowNEON(&dst[0], &x[0], n, a)
	}
	roundRowGeneric(dst[n:], x[n:], a)
}

func packKey(dst []int16, p int, x []float32, a float32) {
	n := whole(len(x))
	if n > 0 {
		packKeyNEON(&dst[2*p], &x[0], n, a)
	}
	packKeyGeneric(dst[n*group:], p, x[n:], a)
}

func packValue(dst []int16, p int, x []float32, a float32) {
	n := whole(len(x))
	if n > 0 {
		packValueNEON(&dst[p], &x[0], n, a)
	}
	packValueGeneric(dst[2*n:], p, x[n:], a)
}

// whole is the part of n numbers that fills pairs of registers.
func whole(n int) int {
	if useNEON {
		return n &^ 7
	}
	return 0
}

//go:noescape
func dotNEON(a, b *float32, n int) float32

//go:noescape
func addNEON(dst, x *float32, n int)

//go:noescape
func axpyNEON(dst, x *float32, n int, a float32)

//go:noescape
func mulNEON(dst, x *float32, n int, a float32)

//go:noescape
func shiftMulNEON(dst, x *float32, n int, shift, a float32)

//go:noescape
func mulScaledNEON(dst, x, w *float32, n int, a float32)

//go:noescape
func swiGLUNEON(dst, gate, up *float32, n int)

//go:noescape
func geGLUNEON(dst, gate, up *float32, n int)

//go:noescape
func expSumNEON(dst, x *float32, n int, offset float32) float32

//go:noescape
func maxNEON(x *float32, n int) float32

//go:noescape
func scanNEON(x *float32, n int, limit float32) int

//go:noescape
func rotateHalvesNEON(x, cos, sin *float32, half, heads int)

//go:noescape
func rotatePairsNEON(x, cos, sin *float32, half, heads int)

//go:noescape
func rowSizeNEON(x *float32, n int) (squares, largest float32)

//go:noescape
func roundRowNEON(dst *int16, x *float32, n int, a float32)

//go:noescape
func packKeyNEON(dst *int16, x *float32, n int, a float32)

//go:noescape
func packValueNEON(dst *int16, x *float32, n int, a float32)
