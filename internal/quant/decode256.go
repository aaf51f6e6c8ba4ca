package quant

// Blocks of 256 values, ggml's k-quants: the scales of the sub-blocks are small integers themselves, under one
// or two half-precision scales of the whole block.

// decodeQ4_K: scale, scale of the minima, 12 bytes of packed 6-bit scales and minima of 8 sub-blocks of 32,
// 128 bytes of nibbles. Each 32 bytes hold two sub-blocks: lower halves, then upper.
// value = scale*sc*q - dmin*m.
func decodeQ4_K(dst []float32, src []byte) {
	d, dmin, scales := half(src), half(src[2:]), src[4:16]
	for s := range 8 {
		sc, m := scaleMin(scales, s)
		a, b := d*float32(sc), dmin*float32(m)
		qs, shift := src[16+s/2*32:][:32], s%2*4
		for j, y := 0, dst[s*32:][:32]; j < 32; j++ {
			y[j] = float32(a*float32(qs[j]>>shift&15)) - b
		}
	}
}

// decodeQ5_K is decodeQ4_K with 32 bytes of fifth bits between the scales and the nibbles: bit s of byte j
// belongs to value j of sub-block s.
func decodeQ5_K(dst []float32, src []byte) {
	d, dmin, scales, high := half(src), half(src[2:]), src[4:16], src[16:48]
	for s := range 8 {
		sc, m := scaleMin(scales, s)
		a, b := d*float32(sc), dmin*float32(m)
		qs, shift := src[48+s/2*32:][:32], s%2*4
		for j, y := 0, dst[s*32:][:32]; j < 32; j++ {
			q := qs[j]>>shift&15 | high[j]>>s&1<<4
			y[j] = float32(a*float32(q)) - b
		}
	}
}

// decodeQ6_K: 128 bytes with the low four bits, 64 with the high two, 16 signed scales of sub-blocks of 16, scale.
// Each half of 128 values has 64 and 32 bytes of these; their quarter k of 32 values has its low bits in the
// lower (k<2) or upper halves of 32 bytes and its high ones in bits 2k and 2k+1 of 32 others.
// value = scale * sc * (q-32).
func decodeQ6_K(dst []float32, src []byte) {
	d := half(src[208:])
	for k := range 8 { // quarters of both halves
		h, k := k/4, k%4
		low, lowShift := src[h*64+k%2*32:][:32], k/2*4
		high, highShift := src[128+h*32:][:32], k*2
		y := dst[h*128+k*32:][:32]
		for j := range y {
			a := d * float32(int8(src[192+h*8+k*2+j/16]))
			q := low[j]>>lowShift&15 | high[j]>>highShift&3<<4
			y[j] = a * float32(int(q)-32)
		}
	}
}

// scaleMin unpacks the 6-bit scale and minimum of sub-block s of 8. Those of the first four are the low bits of
// bytes s and s+4; those of the others have four bits in byte s+4 and two above the first ones'.
func scaleMin(b []byte, s int) (sc, m byte) {
	if s < 4 {
		return b[s] & 63, b[s+4] & 63
	}
	return b[s+4]&15 | b[s-4]>>6<<4, b[s+4]>>4 | b[s]>>6<<4
}

// putScaleMin is the reverse of scaleMin; b starts as zeros, and s goes up.
func putScaleMin(b []byte, s int, sc, m byte) {
	if s < 4 {
		b[s], b[s+4] = sc, m
		return
	}
	b[s+4] = sc&15 | m<<4
	b[s-4] |= sc >> 4 << 6
	b[s] |= m >> 4 << 6
}
