package main

// The scans of a row of logits.

// maximum never lets NaN in.
func (v *vec) maximum() {
	v.begin("max", 20, "(x *float32, n int) float32")
	v.Op("MOVQ x+0(FP), SI")
	v.Op("MOVQ n+8(FP), R8")
	v.op("VBROADCASTSS", "negInf<>(SB)", 0)
	for i := 1; i < 4; i++ {
		v.op("VMOVAPS", 0, i)
	}
	v.loops("max", "R8", 4, func(i int) {
		v.load("(SI)", 4)
		switch {
		case v.tail && v.wide:
			v.op("VMAXPS", 0, 4, "K1", 0)
		case v.tail:
			v.op("VMAXPS", 0, 4, 4)
			v.op("VBLENDVPS", maskReg, 4, 0, 0)
		default:
			v.op("VMAXPS", i, 4, i)
		}
		v.advance(4, "SI")
	})
	v.op("VMAXPS", 1, 0, 0)
	v.op("VMAXPS", 3, 2, 2)
	v.op("VMAXPS", 2, 0, 0)
	v.reduce("VMAXPS", 0, 1)
	v.Op("VMOVSS X0, ret+16(FP)")
	v.end()
}

// scan looks for the first number that is not below limit.
func (v *vec) scan() {
	v.begin("scan", 32, "(x *float32, n int, limit float32) int")
	v.Op("MOVQ x+0(FP), SI")
	v.Op("MOVQ n+8(FP), R8")
	v.Op("VBROADCASTSS limit+16(FP), %s", v.r(8))
	v.loops("scan", "R8", 1, func(int) {
		v.load("(SI)", 0)
		v.op("VCMPPS", "$0x1d", 8, 0, v.mask2()) // greater or equal, false of NaN
		v.scanBits()
		v.Op("TESTL AX, AX")
		v.Op("JNE scanFound")
		v.advance(4, "SI")
	})
	v.Op("MOVQ n+8(FP), AX")
	v.Op("MOVQ AX, ret+24(FP)")
	v.end()
	v.Label("scanFound")
	v.Op("BSFL AX, AX")
	v.Op("SUBQ x+0(FP), SI")
	v.Op("SHRQ $2, SI")
	v.Op("ADDQ SI, AX")
	v.Op("MOVQ AX, ret+24(FP)")
	v.end()
}

// collect writes the indices, from base on, of the numbers that are not below limit. The wide one writes whole registers, so
// that dst needs room for one beyond.
func (v *vec) collect() {
	v.begin("collect", 48, "(dst *int32, x *float32, n, base int, limit float32) int")
	v.Op("MOVQ dst+0(FP), DI")
	v.Op("MOVQ x+8(FP), SI")
	v.Op("MOVQ n+16(FP), R8")
	v.Op("MOVQ base+24(FP), BX")
	v.Op("VBROADCASTSS limit+32(FP), %s", v.r(8))
	if v.wide {
		v.Op("VPBROADCASTD BX, Z2")
		v.Op("VPADDD lanes<>(SB), Z2, Z2")
		v.Op("MOVL $16, AX")
		v.Op("VPBROADCASTD AX, Z3")
	}
	v.loops("collect", "R8", 1, func(int) {
		v.load("(SI)", 0)
		v.op("VCMPPS", "$0x1d", 8, 0, v.mask2())
		v.scanBits()
		v.found()
		v.advance(4, "SI")
	})
	v.Op("SUBQ dst+0(FP), DI")
	v.Op("SHRQ $2, DI")
	v.Op("MOVQ DI, ret+40(FP)")
	v.end()
}

// found writes the indices of the bits in AX.
func (v *vec) found() {
	if v.wide {
		v.Op("VPCOMPRESSD.Z Z2, K2, Z1")
		v.Op("VPADDD Z3, Z2, Z2")
		v.Op("VMOVDQU32 Z1, (DI)")
		v.Op("POPCNTL AX, AX")
		v.Op("LEAQ (DI)(AX*4), DI")
		return
	}
	next, done := v.NewLabel("collectNext"), v.NewLabel("collectNone")
	v.Op("TESTL AX, AX")
	v.Op("JEQ %s", done)
	v.Label(next)
	v.Op("BSFL AX, CX")
	v.Op("ADDL BX, CX")
	v.Op("MOVL CX, (DI)")
	v.Op("ADDQ $4, DI")
	v.Op("LEAL -1(AX), CX")
	v.Op("ANDL CX, AX")
	v.Op("JNE %s", next)
	v.Label(done)
	v.Op("ADDQ $%d, BX", v.lanes())
}

func (v *vec) mask2() any {
	if v.wide {
		return "K2"
	}
	return 1
}

// scanBits moves the result of the comparison to AX, without what is beyond the tail.
func (v *vec) scanBits() {
	switch {
	case v.wide && v.tail:
		v.Op("KANDW K1, K2, K2")
		v.Op("KMOVW K2, AX")
	case v.wide:
		v.Op("KMOVW K2, AX")
	default:
		v.keep(1)
		v.op("VMOVMSKPS", 1, "AX")
	}
}
