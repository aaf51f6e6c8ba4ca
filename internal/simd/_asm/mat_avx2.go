package main

// mat256 prints the kernels of the AVX2 tier. All integers and all roundings are those of the AVX-512 tier.
//
// VPMADDUBSW adds pairs of products in 16 bits, and saturates. So do not: eight quads of 4-bit weights, four of 5-bit, two of
// 6-bit ones. 8-bit weights are taken as two nibbles. VPMADDWD then widens, multiplying by what the AVX-512 tier shifts
// weights up by.
//
//	Y0…  float32 sums
//	Y4…  16-bit sums of a group of quads
//	Y8…  32-bit sums of the block; those of upper nibbles, if weights have 8 bits
//	Y12, Y13 weights  Y14, Y15 scratch
//
// The half-precision scales of 256 columns are at R14.
type mat256 struct {
	tile256
	matFormat
}

func matAVX2(a *Asm) {
	for _, f := range matFormats {
		matLoop(a, "mat"+f.name+"AVX2", matHeights, func(height int) {
			m := mat256{tile256{a, height, f.sums()}, f}
			m.passes(func() { m.pass(m.block) })
		})
	}
	matFloatAVX2(a)
	for _, b := range []uint32{0x0f, 0x3f, 0x03, 0x10} {
		a.Data(byteConst(b), repeat(b * 0x01010101)[:8]...)
	}
	for _, n := range []uint32{1, 4, 8, 16} {
		a.Data(wordConst(n), repeat(n * 0x00010001)[:8]...)
	}
	matData256(a)
}

// matData256 prints the constants of AVX2 with and without VNNI.
func matData256(a *Asm) {
	for _, bits := range []int{4, 5, 6} {
		a.Data(powerConst(bits), repeat(uint32(127-8+bits) << 23)[:8]...)
	}
	a.Data("matBits", 0x08040201, 0x80402010, 0x08040201, 0x80402010, 0x08040201, 0x80402010, 0x08040201, 0x80402010)
	a.Data("matSpread", 0, 0, 0x01010101, 0x01010101, 0x02020202, 0x02020202, 0x03030303, 0x03030303)
}

// sums is the most sums of a pass.
func (f matFormat) sums() int {
	if f.half {
		return 2
	}
	return 4
}

// pass prints a pass over the blocks of a panel.
func (m mat256) pass(block func()) {
	m.each(func(s, _, _ int) { m.Op("VPXOR Y%d, Y%d, Y%d", s, s, s) })
	matBlocks(m.Asm, m.matFormat, m.height, func() { m.Op("MOVQ SI, R14") }, func() {
		m.prefetch(m.blockBytes())
		block()
	})
	if m.factor() > 1 {
		m.each(func(s, _, _ int) { m.Op("VMULPS %s<>(SB), Y%d, Y%d", powerConst(m.bits), s, s) })
	}
	m.store()
}

// halves are the halves of a pass.
func (m mat256) halves() []int {
	if m.both() {
		return []int{0, 1}
	}
	return []int{0}
}

// ofHalf calls f for the sums of a half: their numbers and rows.
func (m mat256) ofHalf(half int, f func(s, row int)) {
	m.each(func(s, h, row int) {
		if h == half {
			f(s, row)
		}
	})
}

// quad and field are the operands for activations of a row.
func (m mat256) quad(row, q int) string { return m.act(actQuad(row, q), 8) }

func (m mat256) field(field, row int) string { return m.act(actField(m.height, field, row), 1) }

// block adds the products of a block.
func (m mat256) block() {
	for _, half := range m.halves() {
		switch m.bits {
		case 8:
			m.bytes(half)
		case 4, 5:
			m.nibbles(half)
		case 6:
			m.sixes(half)
		}
	}
	if !m.half {
		m.each(func(s, half, row int) { m.correct(actAll, s, row) })
	}
	for _, half := range m.halves() {
		m.finish(half)
	}
}

// dot adds the products of quad q with the weights in a register to the 16-bit sums in acc and following; first sets them.
func (m mat256) dot(q, half, weights, acc int, first bool) {
	m.ofHalf(half, func(s, row int) {
		m.Op("VPBROADCASTD %s, Y14", m.quad(row, q))
		if first {
			m.Op("VPMADDUBSW Y14, Y%d, Y%d", weights, acc+s)
			return
		}
		m.Op("VPMADDUBSW Y14, Y%d, Y14", weights)
		m.Op("VPADDW Y14, Y%d, Y%d", acc+s, acc+s)
	})
}

// widen sets the 32-bit sums of a half to the 16-bit ones in acc and following, times n; or adds them, unless first.
func (m mat256) widen(half, acc int, n uint32, first bool) {
	m.ofHalf(half, func(s, _ int) {
		if first {
			m.Op("VPMADDWD %s<>(SB), Y%d, Y%d", wordConst(n), acc+s, 8+s)
			return
		}
		m.Op("VPMADDWD %s<>(SB), Y%d, Y%d", wordConst(n), acc+s, acc+s)
		m.Op("VPADDD Y%d, Y%d, Y%d", acc+s, 8+s, 8+s)
	})
}

// bytes sums 8-bit weights as lower and upper nibbles.
func (m mat256) bytes(half int) {
	for q := range 8 {
		m.Op("VMOVDQU %s, Y12", m.weight(64*q, 32, half))
		m.split()
		m.dot(q, half, 12, 4, q == 0)
		m.dot(q, half, 13, 8, q == 0)
	}
	m.widen(half, 8, 16, true)
	m.widen(half, 4, 1, false)
}

// split splits the bytes of Y12 into their lower nibbles Y12 and their upper ones Y13.
func (m mat256) split() {
	m.Op("VPSRLW $4, Y12, Y13")
	m.Op("VPAND %s<>(SB), Y12, Y12", byteConst(0x0f))
	m.Op("VPAND %s<>(SB), Y13, Y13", byteConst(0x0f))
}

// nibbles sums weights of four or five bits.
func (m mat256) nibbles(half int) {
	words, group := 0, 4 // groups of so many nibble vectors
	if m.bits == 5 {
		words, group = 64, 2
	}
	for i := range 4 {
		m.Op("VMOVDQU %s, Y12", m.weight(words+64*i, 32, half))
		m.split()
		if m.bits == 5 {
			m.fifth(8*i, half, 12, 0x10)
			m.fifth(8*i+32, half, 13, 0x10)
		}
		m.dot(i, half, 12, 4, i%group == 0)
		m.dot(i+4, half, 13, 4, false)
		if i%group == group-1 {
			m.widen(half, 4, m.factor(), i < group)
		}
	}
}

// fifth adds the fifth bits to the weights in a register: 32 bits at the displacement become 32 bytes.
func (m mat256) fifth(at, half, reg int, bit uint32) {
	m.Op("VPBROADCASTD %s, Y14", m.weight(at, 4, half))
	m.Op("VPSHUFB matSpread<>(SB), Y14, Y14")
	m.Op("VPAND matBits<>(SB), Y14, Y14")
	m.Op("VPCMPEQB matBits<>(SB), Y14, Y14")
	m.Op("VPAND %s<>(SB), Y14, Y14", byteConst(bit))
	m.Op("VPOR Y14, Y%d, Y%d", reg, reg)
}

// factor is what weights are shifted up by in the AVX-512 tier.
func (m mat256) factor() uint32 {
	if m.min {
		return 1
	}
	return 1 << (8 - m.bits)
}

// sixes sums weights of six bits, first those of the first scale.
func (m mat256) sixes(half int) {
	for h := range 2 {
		at := 192 * h
		for q := range 3 {
			m.Op("VMOVDQU %s, Y12", m.weight(at+64*q, 32, half))
			m.Op("VPSRLW $2, Y12, Y13")
			m.Op("VPAND %s<>(SB), Y13, Y13", byteConst(0x3f))
			m.dot(4*h+q, half, 13, 4, q != 1)
			if q == 1 {
				m.widen(half, 4, m.factor(), true)
			}
		}
		m.Op("VPAND %s<>(SB), Y12, Y12", byteConst(0x03))
		for q := range 2 {
			m.Op("VMOVDQU %s, Y13", m.weight(at+64*q, 32, half))
			m.Op("VPAND %s<>(SB), Y13, Y13", byteConst(0x03))
			m.Op("VPSLLW $%d, Y13, Y13", 4-2*q)
			m.Op("VPOR Y13, Y12, Y12")
		}
		m.dot(4*h+3, half, 12, 4, false)
		m.widen(half, 4, m.factor(), false)
		m.ofHalf(half, func(s, row int) { m.sixteen(h, s, row) })
	}
}

// sixteen corrects a sum of 16 columns, and puts the first one aside.
func (m mat256) sixteen(h, s, row int) {
	m.Op("VPBROADCASTD %s, Y14", m.field(actHalf, row))
	if h == 1 {
		m.Op("VPBROADCASTD %s, Y15", m.field(actAll, row))
		m.Op("VPSUBD Y14, Y15, Y14")
	}
	m.Op("VPADDD Y14, Y%d, Y%d", 8+s, 8+s)
	if h == 0 {
		m.Op("VMOVDQA Y%d, Y%d", 8+s, 10+s)
	}
}

// correct adds the correction for unsigned weights to a sum.
func (m mat256) correct(field, s, row int) {
	if !m.min {
		m.Op("VPBROADCASTD %s, Y14", m.field(field, row))
		m.Op("VPADDD Y14, Y%d, Y%d", 8+s, 8+s)
	}
}

// finish scales the 32-bit sums of a half and adds them to the float32 ones.
func (m mat256) finish(half int) {
	m.scales(half)
	m.ofHalf(half, func(s, row int) {
		m.Op("VCVTDQ2PS Y%d, Y%d", 8+s, 8+s)
		if m.half {
			m.Op("VCVTDQ2PS Y%d, Y%d", 10+s, 10+s)
			m.Op("VMULPS Y12, Y%d, Y%d", 10+s, 10+s)
			m.Op("VFMADD231PS Y13, Y%d, Y%d", 8+s, 10+s)
			m.Op("VMOVAPS Y%d, Y%d", 10+s, 8+s)
		} else {
			m.Op("VMULPS Y12, Y%d, Y%d", 8+s, 8+s)
		}
		m.add(s, row)
	})
}

// add adds a scaled sum of the block to a float32 sum.
func (m mat256) add(s, row int) {
	m.Op("VBROADCASTSS %s, Y14", m.field(actScale, row))
	m.Op("VFMADD231PS Y14, Y%d, Y%d", 8+s, s)
	if m.min {
		m.Op("VBROADCASTSS %s, Y14", m.field(actSum, row))
		m.Op("VFMADD231PS Y14, Y13, Y%d", s)
	}
}

// scales loads the scales of a half to Y12, and the minimums or second scales to Y13.
func (m mat256) scales(half int) {
	m.scale(0, 0, half, 12)
	if m.min || m.half {
		super := 32
		if m.half {
			super = 0
		}
		m.scale(m.second(), super, half, 13)
	}
}

// scale loads the scales of a half at a displacement, those of k under the ones at a displacement from R14.
func (m mat256) scale(at, super, half, reg int) {
	if !m.k {
		m.Op("VCVTPH2PS %s, Y%d", m.part("BX", at, 16, half), reg)
		return
	}
	load := "VPMOVZXBD"
	if m.half {
		load = "VPMOVSXBD"
	}
	m.Op("VCVTPH2PS %s, Y14", m.part("R14", super, 16, half))
	m.Op("%s %s, Y%d", load, m.part("BX", at, 8, half), reg)
	m.Op("VCVTDQ2PS Y%d, Y%d", reg, reg)
	m.Op("VMULPS Y14, Y%d, Y%d", reg, reg)
}
