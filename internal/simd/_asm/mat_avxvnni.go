package main

// mat256v prints the kernels of quantised weights for processors with VPDPBUSD but without AVX-512. Registers are those of
// mat256, but products go to 32-bit sums at once, which start at the correction; weights without minimum are shifted up to
// the full byte as in the AVX-512 tier.
//
//	Y0… float32 sums  Y8… 32-bit sums; Y4… those of the second half, where that has a scale of its own
type mat256v struct{ mat256 }

func matAVXVNNI(a *Asm) {
	for _, f := range matFormats {
		matLoop(a, "mat"+f.name+"AVXVNNI", matHeights, func(height int) {
			m := mat256v{mat256{tile256{a, height, 4}, f}}
			m.passes(func() { m.pass(m.block) })
		})
	}
	for _, b := range []uint32{0x0f, 0xf0, 0x78, 0x80, 0x10, 0xfc, 0xc0, 0x30, 0x0c} {
		a.Data(byteConst(b), repeat(b * 0x01010101)[:8]...)
	}
	matData256(a)
}

func (m mat256v) block() {
	m.each(func(s, _, row int) { m.begin(s, row) })
	for _, half := range m.halves() {
		switch m.bits {
		case 8:
			for q := range 8 {
				m.Op("VMOVDQU %s, Y12", m.weight(64*q, 32, half))
				m.dot(q, half, 12)
			}
		case 4, 5:
			m.nibbles(half)
		case 6:
			m.sixes(0, 0, half)
			m.sixes(192, 4, half)
		}
	}
	for _, half := range m.halves() {
		m.finish(half)
	}
}

// begin sets the 32-bit sums to their corrections.
func (m mat256v) begin(s, row int) {
	switch {
	case m.min:
		m.Op("VPXOR Y%d, Y%d, Y%d", 8+s, 8+s, 8+s)
	case m.half:
		m.Op("VPBROADCASTD %s, Y%d", m.field(actHalf, row), 8+s)
		m.Op("VPBROADCASTD %s, Y%d", m.field(actAll, row), 4+s)
		m.Op("VPSUBD Y%d, Y%d, Y%d", 8+s, 4+s, 4+s)
	default:
		m.Op("VPBROADCASTD %s, Y%d", m.field(actAll, row), 8+s)
	}
}

// dot adds the products of quad q with the weights in a register.
func (m mat256v) dot(q, half, weights int) {
	m.ofHalf(half, func(s, row int) {
		m.Op("VPBROADCASTD %s, Y14", m.quad(row, q))
		if m.half && q >= 4 {
			vpdpbusd(m.Asm, 14, weights, 4+s)
		} else {
			vpdpbusd(m.Asm, 14, weights, 8+s)
		}
	})
}

// nibbles sums weights of four or five bits.
func (m mat256v) nibbles(half int) {
	at := 64 * (m.bits - 4)
	for i := range 4 {
		m.Op("VMOVDQU %s, Y12", m.weight(at+64*i, 32, half))
		m.split()
		if m.bits == 5 {
			m.fifth(8*i, half, 12, m.fifthBit())
			m.fifth(8*i+32, half, 13, m.fifthBit())
		}
		m.dot(i, half, 12)
		m.dot(i+4, half, 13)
	}
}

// fifthBit is the byte with the fifth bit of a weight.
func (m mat256v) fifthBit() uint32 {
	if m.min {
		return 0x10
	}
	return 0x80
}

// split splits the bytes of Y12 into their lower nibbles Y12 and their upper ones Y13.
func (m mat256v) split() {
	switch {
	case m.min:
		m.mat256.split()
		return
	case m.bits == 4:
		m.Op("VMOVDQA Y12, Y13")
		m.Op("VPSLLW $4, Y12, Y12")
		m.mask(0xf0)
	default:
		m.Op("VPSRLW $1, Y12, Y13")
		m.Op("VPSLLW $3, Y12, Y12")
		m.mask(0x78)
	}
}

// mask masks Y12 and Y13.
func (m mat256v) mask(b uint32) {
	m.Op("VPAND %s<>(SB), Y12, Y12", byteConst(b))
	m.Op("VPAND %s<>(SB), Y13, Y13", byteConst(b))
}

// sixes sums 16 columns of six bits, from quad q on.
func (m mat256v) sixes(at, q, half int) {
	for i := range 3 {
		m.Op("VMOVDQU %s, Y12", m.weight(at+64*i, 32, half))
		m.Op("VPAND %s<>(SB), Y12, Y13", byteConst(0xfc))
		m.dot(q+i, half, 13)
	}
	m.Op("VPSLLW $2, Y12, Y12")
	m.Op("VPAND %s<>(SB), Y12, Y12", byteConst(0x0c))
	for i, mask := range []uint32{0xc0, 0x30} {
		m.Op("VMOVDQU %s, Y13", m.weight(at+64*i, 32, half))
		m.Op("VPSLLW $%d, Y13, Y13", 6-2*i)
		m.Op("VPAND %s<>(SB), Y13, Y13", byteConst(mask))
		m.Op("VPOR Y13, Y12, Y12")
	}
	m.dot(q+3, half, 12)
}

// finish scales the 32-bit sums of a half and adds them to the float32 ones.
func (m mat256v) finish(half int) {
	m.scales(half)
	m.ofHalf(half, func(s, row int) {
		m.Op("VCVTDQ2PS Y%d, Y%d", 8+s, 8+s)
		m.Op("VMULPS Y12, Y%d, Y%d", 8+s, 8+s)
		if m.half {
			m.Op("VCVTDQ2PS Y%d, Y%d", 4+s, 4+s)
			m.Op("VFMADD231PS Y13, Y%d, Y%d", 4+s, 8+s)
		}
		m.add(s, row)
	})
}

// vpdpbusd prints VPDPBUSD of 256 bits in the encoding that is not AVX-512's, which the assembler does not know.
func vpdpbusd(a *Asm, signed, unsigned, sum int) {
	high := func(reg int) int { return ^reg >> 3 & 1 }
	a.Op("BYTE $0xc4; BYTE $0x%02x; BYTE $0x%02x; BYTE $0x50; BYTE $0x%02x // VPDPBUSD Y%d, Y%d, Y%d",
		high(sum)<<7|1<<6|high(signed)<<5|2, ^unsigned&15<<3|1<<2|1, 3<<6|sum&7<<3|signed&7, signed, unsigned, sum)
}
