package quant

import "math"

// The idea of the search is that of ggml's make_qkx and make_qx: try levels for a few scales near the obvious
// one, solve for the scale (and minimum) that fits these levels best, keep what has the smallest squared error.

func encodeQ4_K(dst []byte, src []float32) {
	clear(dst)
	q := affineBlock(dst, src, 15)
	packPairs(dst[16:144], &q)
}

func encodeQ5_K(dst []byte, src []float32) {
	clear(dst)
	q := affineBlock(dst, src, 31)
	for i, v := range q {
		dst[16+i%32] |= v >> 4 << (i / 32)
	}
	packPairs(dst[48:176], &q)
}

func encodeQ6_K(dst []byte, src []float32) {
	clear(dst)
	var fits [16]float32
	for s := range fits {
		fits[s] = symmetricFit(src[s*16:][:16])
	}
	d := extreme(fits[:]) / -128
	putHalf(dst[208:], d)
	d = half(dst[208:])
	for s, f := range fits {
		sc := nearest(f*inverse(d), -128, 127)
		dst[192+s] = byte(int8(sc))
		inv := inverse(d * float32(sc))
		for j, x := range src[s*16:][:16] {
			putSix(dst, s*16+j, byte(nearest(x*inv, -32, 31)+32))
		}
	}
}

// putSix stores the six bits of value i of a Q6_K block.
func putSix(dst []byte, i int, q byte) {
	h, k, j := i/128, i/32%4, i%32
	dst[h*64+k%2*32+j] |= q & 15 << (k / 2 * 4)
	dst[128+h*32+j] |= q >> 4 << (k * 2)
}

// affineBlock writes the scales of a Q4_K or Q5_K block and returns its levels of 0 to top.
func affineBlock(dst []byte, src []float32, top int) (q [256]byte) {
	var scales, mins [8]float32
	for s := range 8 {
		scales[s], mins[s] = affineFit(src[s*32:][:32], top)
	}
	_, a := bounds(scales[:])
	_, b := bounds(mins[:])
	putHalf(dst, a/63)
	putHalf(dst[2:], b/63)
	d, dmin := half(dst), half(dst[2:])
	for s := range 8 {
		sc := nearest(scales[s]*inverse(d), 0, 63)
		m := nearest(mins[s]*inverse(dmin), 0, 63)
		putScaleMin(dst[4:16], s, byte(sc), byte(m))
		inv, lo := inverse(d*float32(sc)), dmin*float32(m)
		for j, x := range src[s*32:][:32] {
			q[s*32+j] = byte(nearest((x+lo)*inv, 0, top))
		}
	}
	return q
}

// affineFit finds scale and minimum, both not negative, such that scale*q - minimum is near x.
func affineFit(x []float32, top int) (scale, minimum float32) {
	lo, hi := bounds(x)
	lo, hi = min(lo, 0), max(hi, 0)
	if lo == hi {
		return 0, 0
	}
	best := math.Inf(1)
	for step := range 21 {
		inv := (float32(top) + float32(step-10)*0.1) / (hi - lo)
		a, m := solveAffine(x, lo, inv, top)
		if e := affineError(x, a, m, top); e < best {
			best, scale, minimum = e, a, m
		}
	}
	return scale, minimum
}

// solveAffine is the least-squares line through (q, x) for the levels that lo and inv give.
func solveAffine(x []float32, lo, inv float32, top int) (scale, minimum float32) {
	var n, sq, sqq, sx, sxq float64
	for _, v := range x {
		q := float64(nearest((v-lo)*inv, 0, top))
		n, sq, sqq, sx, sxq = n+1, sq+q, sqq+q*q, sx+float64(v), sxq+float64(v)*q
	}
	if det := n*sqq - sq*sq; det > 0 {
		a, b := (n*sxq-sq*sx)/det, (sqq*sx-sq*sxq)/det
		if a > 0 && b <= 0 {
			return float32(a), float32(-b)
		}
	}
	if lo < 0 { // a minimum cannot be positive: keep the range as it is
		return 1 / inv, -lo
	}
	return float32(sxq / sqq), 0
}

func affineError(x []float32, scale, minimum float32, top int) (e float64) {
	inv := inverse(scale)
	for _, v := range x {
		d := float64(scale*float32(nearest((v+minimum)*inv, 0, top)) - minimum - v)
		e += d * d
	}
	return e
}

// symmetricFit finds the scale, of either sign, such that scale*q is near x for q of -32 to 31.
func symmetricFit(x []float32) (scale float32) {
	top := extreme(x)
	if top == 0 {
		return 0
	}
	best := math.Inf(-1)
	for step := range 19 {
		inv := (-32 + float32(step-9)*0.1) / top
		var sxq, sqq float64
		for _, v := range x {
			q := float64(nearest(v*inv, -32, 31))
			sxq, sqq = sxq+float64(v)*q, sqq+q*q
		}
		// The best scale is sxq/sqq, and takes sxq²/sqq off the squared error.
		if gain := sxq * sxq / sqq; sqq > 0 && gain > best {
			best, scale = gain, float32(sxq/sqq)
		}
	}
	return scale
}

// packPairs puts the low four bits of sub-blocks 2i and 2i+1 in the lower and upper halves of 32 bytes.
func packPairs(dst []byte, q *[256]byte) {
	for i := range dst {
		lo := i/32*64 + i%32
		dst[i] = q[lo]&15 | q[lo+32]<<4
	}
}

// nearest is x rounded to an integer of lo to hi.
func nearest(x float32, lo, hi int) int {
	return int(min(max(math.Round(float64(x)), float64(lo)), float64(hi)))
}
