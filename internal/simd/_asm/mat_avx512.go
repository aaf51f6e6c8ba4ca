package main

import "fmt"

// mat512 prints the kernels of the AVX-512 tier. The 16 lanes of a register are the 16 rows of a panel.
//
//	Z0…      float32 accumulators, one per row of activations
//	Z8…      int32 accumulators of a block; Z16… those of its second half, where that has a scale of its own
//	Z24, Z25 scale and minimum of 256 values
//	Z26, Z27 scale and minimum (or second scale) of the block
//	Z28, Z29 weights
//	Z30, Z31 constants
//	K1       high bits
//
//	R14      where tiles of full height prefetch the next panel; R11 its half, if there is one tile, else 0
type mat512 struct {
	*Asm
	matFormat
	rows int
}

func matAVX512(a *Asm) {
	for _, f := range matFormats {
		matLoop(a, "mat"+f.name+"AVX512", matHeights, func(rows int) { mat512{a, f, rows}.product() })
	}
	for _, f := range matExpanded {
		matLoop(a, "mat"+f.name+"AVX512", matHeights[:1], func(rows int) { mat512{a, f, rows}.product() })
	}
	for _, f := range matFormats[1:] {
		matExpand(a, f)
	}
	matFloatAVX512(a)
	for _, b := range []uint32{0x0f, 0xf0, 0x78, 0x80, 0x10, 0xfc, 0x0c, 0xc0} {
		a.Data(byteConst(b), repeat(b*0x01010101)...)
	}
	for _, bits := range []int{4, 5, 6} {
		a.Data(powerConst(bits), repeat(uint32(127-8+bits)<<23)...)
	}
}

// product prints the product of a tile and a panel.
func (m mat512) product() {
	m.constants()
	matStart(m.Asm)
	m.start()
	if m.shares() {
		m.shareNext()
	}
	matUnits(m.Asm, m.matFormat, m.rows, m.superScales, m.block)
	m.store()
}

// start clears the accumulators. Expanded panels come in stretches of columns: all but the first go on where the one before
// has left dst.
func (m mat512) start() {
	for r := range m.rows {
		m.Op("VPXORD Z%d, Z%d, Z%d", r, r, r)
	}
	if !m.wide {
		return
	}
	m.Op("CMPQ 104(R10), $0")
	m.Op("JNE begun")
	m.Op("MOVQ DI, BX")
	for r := range m.rows {
		m.Op("VMOVUPS (BX), Z%d", r)
		m.Op("ADDQ R8, BX")
	}
	m.Label("begun")
}

// constants loads the masks of unpack.
func (m mat512) constants() {
	load := func(reg int, b uint32) { m.Op("VMOVDQU64 %s<>(SB), Z%d", byteConst(b), reg) }
	switch {
	case m.bits == 4 && m.min:
		load(30, 0x0f)
	case m.bits == 4:
		load(30, 0xf0)
	case m.bits == 5 && m.min:
		load(30, 0x0f)
		load(31, 0x10)
	case m.bits == 5:
		load(30, 0x78)
		load(31, 0x80)
	case m.bits == 6:
		load(30, 0xfc)
		load(31, 0x0c)
		load(25, 0xc0)
	}
}

// superScales loads the scale and minimum of 256 values.
func (m mat512) superScales() {
	m.Op("VCVTPH2PS (SI), Z24")
	if m.min {
		m.Op("VCVTPH2PS 32(SI), Z25")
	}
}

// block adds the products of block b of a unit to the accumulators.
func (m mat512) block(b int) {
	m.scales()
	m.begin()
	m.dots(b)
	for h := range m.halves() {
		for r := range m.rows {
			m.Op("VCVTDQ2PS Z%d, Z%d", m.sum(r, h), m.sum(r, h))
		}
	}
	for r := range m.rows {
		m.Op("VMULPS Z26, Z%d, Z%d", m.sum(r, 0), m.sum(r, 0))
	}
	if m.half {
		for r := range m.rows {
			m.Op("VFMADD231PS Z27, Z%d, Z%d", m.sum(r, 1), m.sum(r, 0))
		}
	}
	for r := range m.rows {
		m.Op("VFMADD231PS.BCST %s, Z%d, Z%d", m.act(actScale, r), m.sum(r, 0), r)
	}
	if m.min {
		for r := range m.rows {
			m.Op("VFMADD231PS.BCST %s, Z27, Z%d", m.act(actSum, r), r)
		}
	}
}

// halves is the number of int32 accumulators per row.
func (m mat512) halves() int {
	if m.half {
		return 2
	}
	return 1
}

// sum is the register of the int32 accumulators of row r for half h of the block.
func (m mat512) sum(r, h int) int { return 8 + 8*h + r }

// act is the operand for a field of row r.
func (m mat512) act(field, r int) string { return fmt.Sprintf("%d(DX)", actField(m.rows, field, r)) }

// scales loads what multiplies the sums of a block.
func (m mat512) scales() {
	m.scale(0, 26, 24)
	if m.min || m.half {
		super := 25
		if m.half {
			super = 24
		}
		m.scale(m.second(), 27, super)
	}
}

// scale loads the scales at a displacement, those of k under the ones in super.
func (m mat512) scale(at, reg, super int) {
	switch {
	case m.wide:
		m.Op("VMOVUPS %d(BX), Z%d", at, reg)
		return
	case !m.k:
		m.Op("VCVTPH2PS %d(BX), Z%d", at, reg)
		return
	case m.half:
		m.Op("VPMOVSXBD %d(BX), Z%d", at, reg)
	default:
		m.Op("VPMOVZXBD %d(BX), Z%d", at, reg)
	}
	m.Op("VCVTDQ2PS Z%d, Z%d", reg, reg)
	m.Op("VMULPS Z%d, Z%d, Z%d", super, reg, reg)
}

// begin sets the int32 accumulators to the correction for unsigned weights: -128 times the sum of the activations.
func (m mat512) begin() {
	for r := range m.rows {
		z := m.sum(r, 0)
		switch {
		case m.min:
			m.Op("VPXORD Z%d, Z%d, Z%d", z, z, z)
		case m.half:
			m.Op("VPBROADCASTD %s, Z%d", m.act(actHalf, r), z)
			m.Op("VPBROADCASTD %s, Z%d", m.act(actAll, r), m.sum(r, 1))
			m.Op("VPSUBD Z%d, Z%d, Z%d", z, m.sum(r, 1), m.sum(r, 1))
		default:
			m.Op("VPBROADCASTD %s, Z%d", m.act(actAll, r), z)
		}
	}
}

// weights unpacks a block, and calls use for each quad with the register that has its bytes. Weights without a minimum are
// shifted up to the full byte.
func (m mat512) weights(use func(q, reg int)) {
	switch m.bits {
	case 8:
		for q := range 8 {
			m.load(64*q, 28)
			use(q, 28)
		}
	case 4, 5:
		at := 64 * (m.bits - 4)
		for q := range 4 {
			m.load(at+64*q, 28)
			m.nibbles()
			m.highBits(8*q, 28)
			m.highBits(8*q+32, 29)
			use(q, 28)
			use(q+4, 29)
		}
	case 6:
		m.sixes(0, 0, use)
		m.sixes(192, 4, use)
	}
}

// load loads 64 bytes of weights and prefetches those at a distance.
func (m mat512) load(at, reg int) {
	m.Op("VMOVDQU64 %d(SI), Z%d", at, reg)
	if !m.wide && !m.shares() {
		m.Op("PREFETCHT1 %d(SI)(R13*1)", at)
	}
}

// nibbles splits Z28 into its low nibbles Z28 and its high nibbles Z29.
func (m mat512) nibbles() {
	switch {
	case m.min:
		m.Op("VPSRLD $4, Z28, Z29")
		m.Op("VPANDD Z30, Z28, Z28")
		m.Op("VPANDD Z30, Z29, Z29")
	case m.bits == 4:
		m.Op("VPANDD Z30, Z28, Z29")
		m.Op("VPSLLD $4, Z28, Z28")
		m.Op("VPANDD Z30, Z28, Z28")
	default:
		m.Op("VPSRLD $1, Z28, Z29")
		m.Op("VPSLLD $3, Z28, Z28")
		m.Op("VPANDD Z30, Z29, Z29")
		m.Op("VPANDD Z30, Z28, Z28")
	}
}

// highBits adds the fifth bits that lie at the displacement.
func (m mat512) highBits(at, reg int) {
	if m.bits == 5 {
		m.Op("KMOVQ %d(SI), K1", at)
		m.Op("VPADDB Z31, Z%d, K1, Z%d", reg, reg)
	}
}

// sixes unpacks 16 columns of six bits: three registers hold those of a quad each in the upper bits of their bytes, and
// two bits each of a fourth quad below them.
func (m mat512) sixes(at, q int, use func(q, reg int)) {
	for i := range 3 {
		m.load(at+64*i, 28)
		m.Op("VPANDD Z30, Z28, Z29")
		use(q+i, 29)
	}
	m.Op("VPSLLD $2, Z28, Z28")
	m.Op("VMOVDQU64 %d(SI), Z29", at+64)
	m.Op("VPSLLD $4, Z29, Z29")
	m.Op("VPTERNLOGD $0xd8, Z31, Z28, Z29")
	m.Op("VMOVDQU64 %d(SI), Z28", at)
	m.Op("VPSLLD $6, Z28, Z28")
	m.Op("VPTERNLOGD $0xd8, Z25, Z28, Z29")
	m.Op("VPANDD Z30, Z29, Z29")
	use(q+3, 29)
}

// dot adds the products of the four columns of quad q, weights in reg, to the sums.
func (m mat512) dot(q, reg int) {
	h := 0
	if m.half {
		h = q / 4
	}
	for r := range m.rows {
		m.Op("VPDPBUSD.BCST %d(DX), Z%d, Z%d", actQuad(r, q), reg, m.sum(r, h))
	}
}

// store writes the accumulators to dst, undoing the shift of the weights.
func (m mat512) store() {
	if m.wide {
		m.Op("VBROADCASTSS 112(R10), Z26")
	} else if !m.min && m.bits < 8 {
		m.Op("VMOVUPS %s<>(SB), Z26", powerConst(m.bits))
	}
	m.Op("MOVQ DI, BX")
	for r := range m.rows {
		if m.wide || !m.min && m.bits < 8 {
			m.Op("VMULPS Z26, Z%d, Z%d", r, r)
		}
		m.Op("VMOVUPS Z%d, (BX)", r)
		m.Op("ADDQ R8, BX")
	}
}

// matExpand prints the function that expands units of a panel to one of matExpanded: per block the float32 scales, the
// minimums or second scales, and the bytes that the kernels of many rows would else unpack for every tile.
//
//	DI dst  SI weights  CX units  R13 distance to prefetch
func matExpand(a *Asm, f matFormat) {
	name := "matExpand" + f.name + "AVX512"
	a.Func(name, 32, "func "+name+"(dst, w *byte, units, ahead int)")
	a.Op("MOVQ dst+0(FP), DI")
	a.Op("MOVQ w+8(FP), SI")
	a.Op("MOVQ units+16(FP), CX")
	a.Op("MOVQ ahead+24(FP), R13")
	m, wide := mat512{a, f, 0}, matExpanded[0]
	m.constants()
	matUnits(a, f, 0, m.superScales, func(int) {
		m.scales()
		a.Op("VMOVUPS Z26, (DI)")
		if m.min || m.half {
			a.Op("VMOVUPS Z27, 64(DI)")
		}
		m.weights(func(q, reg int) { a.Op("VMOVDQU64 Z%d, %d(DI)", reg, 128+64*q) })
		a.Op("ADDQ $%d, DI", wide.scaleBytes()+wide.blockBytes())
	})
	a.Op("VZEROUPPER")
	a.Op("RET")
}
