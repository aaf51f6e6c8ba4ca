package simd

// Dot returns the sum of a[i]*b[i].
func Dot(a, b []float32) float32 {
	sameLength("Dot", len(a), len(b))
	return dot(a, b)
}

// Add adds x to dst.
func Add(dst, x []float32) {
	sameLength("Add", len(dst), len(x))
	add(dst, x)
}

// Mul multiplies dst by x, number by number.
func Mul(dst, x []float32) {
	sameLength("Mul", len(dst), len(x))
	mulScaled(dst, dst, x, 1)
}

// Axpy adds a*x to dst.
func Axpy(dst []float32, a float32, x []float32) {
	sameLength("Axpy", len(dst), len(x))
	axpy(dst, a, x)
}

// Scale multiplies dst by a.
func Scale(dst []float32, a float32) { mul(dst, dst, a) }

// ShiftScale writes (x[i]-shift)*a to dst, of the same length, which may be x itself.
func ShiftScale(dst, x []float32, shift, a float32) {
	sameLength("ShiftScale", len(dst), len(x))
	shiftMul(dst, x, shift, a)
}

// sameLength panics unless two arguments of a kernel have one length.
func sameLength(kernel string, n, m int) {
	if n != m {
		panic("simd: " + kernel + ": slices of different lengths")
	}
}

// dotGeneric sums in four lanes, which a processor can add side by side.
func dotGeneric(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	for len(a) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		s0 += v * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func addGeneric(dst, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += x[i]
	}
}

func axpyGeneric(dst []float32, a float32, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += a * x[i]
	}
}

// mulGeneric is dst = x*a.
func mulGeneric(dst, x []float32, a float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = v * a
	}
}

// shiftMulGeneric is dst = (x-shift)*a.
func shiftMulGeneric(dst, x []float32, shift, a float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = (v - shift) * a
	}
}
