package transformer

// mulPanel multiplies rows of x, [rows][in], with one panel of weights,
// [in][panel], of which the first width outputs are wanted.
func mulPanel(dst []float32, stride int, x, weights []float32, in, width int) {
	for ; len(x) >= 2*in; x = x[2*in:] {
		for c := 0; c < width; c += 4 {
			end := min(c+4, width)
			mul2x4(dst[c:end], dst[stride+c:stride+end], x[:in], x[in:2*in], weights[c:])
		}
		dst = dst[min(2*stride, len(dst)):]
	}
	if len(x) > 0 {
		for c := 0; c < width; c += 4 {
			mul1x4(dst[c:min(c+4, width)], x, weights[c:])
		}
	}
}

// mul2x4 is four outputs of two rows. The conversions keep compilers from
// fusing, which they might do here and not in mul1x4.
func mul2x4(d0, d1, x0, x1, weights []float32) {
	var a0, a1, a2, a3, b0, b1, b2, b3 float32
	x1 = x1[:len(x0)]
	for i, u := range x0 {
		v := x1[i]
		w := (*[4]float32)(weights[i*panel:])
		a0 += float32(u * w[0])
		a1 += float32(u * w[1])
		a2 += float32(u * w[2])
		a3 += float32(u * w[3])
		b0 += float32(v * w[0])
		b1 += float32(v * w[1])
		b2 += float32(v * w[2])
		b3 += float32(v * w[3])
	}
	copy(d0, []float32{a0, a1, a2, a3})
	copy(d1, []float32{b0, b1, b2, b3})
}

func mul1x4(d, x, weights []float32) {
	var a0, a1, a2, a3 float32
	for i, u := range x {
		w := (*[4]float32)(weights[i*panel:])
		a0 += float32(u * w[0])
		a1 += float32(u * w[1])
		a2 += float32(u * w[2])
		a3 += float32(u * w[3])
	}
	copy(d, []float32{a0, a1, a2, a3})
}
