package main

// mergeStates takes the states of a stretch into those of the stretches before. A state is the highest score, the sum, and
// dim values, which fill whole registers.
//
//	DI, SI values of state and part; R8 dim; R9 states left
//	R8, R9 highest scores, then the factors of state and part; R10 highest of both
func (v *vec) mergeStates() {
	v.begin("mergeStates", 32, "(states, part *float32, dim, n int)", append(powerConsts, "least", "negInf")...)
	v.Op("MOVQ states+0(FP), DI")
	v.Op("MOVQ part+8(FP), SI")
	v.Op("MOVQ dim+16(FP), R8")
	v.Op("MOVQ n+24(FP), R9")
	v.Label("state")
	v.top("DI", 8)
	v.top("SI", 9)
	v.op("VMAXPS", 8, 9, 10)
	v.factor(8)
	v.factor(9)
	v.Op("VMOVSS 4(DI), X0")
	v.Op("VMOVSS 4(SI), X1")
	v.op("VMULPS", 8, 0, 0)
	v.op("VFMADD231PS", 9, 1, 0)
	v.Op("VMOVSS X10, (DI)")
	v.Op("VMOVSS X0, 4(DI)")
	v.Op("ADDQ $8, DI")
	v.Op("ADDQ $8, SI")
	v.Op("XORL AX, AX")
	v.Label("values")
	v.op("VMULPS", "(DI)(AX*4)", 8, 0)
	v.op("VMOVUPS", "(SI)(AX*4)", 1)
	v.op("VFMADD231PS", 9, 1, 0)
	v.op("VMOVUPS", 0, "(DI)(AX*4)")
	v.Op("ADDQ $%d, AX", v.lanes())
	v.Op("CMPQ AX, R8")
	v.Op("JLT values")
	v.Op("LEAQ (DI)(R8*4), DI")
	v.Op("LEAQ (SI)(R8*4), SI")
	v.Op("DECQ R9")
	v.Op("JNZ state")
	v.end()
}

// top loads the highest score of the state at p; it is -Inf where the sum of powers, which follows, is zero.
func (v *vec) top(p string, to int) {
	v.op("VBROADCASTSS", "("+p+")", to)
	v.op("VBROADCASTSS", "4("+p+")", 0)
	v.zero(1)
	if v.wide {
		v.op("VCMPPS", "$0", 1, 0, "K2")
		v.op("VMOVAPS", v.c("negInf"), "K2", to)
		return
	}
	v.op("VCMPPS", "$0", 1, 0, 0)
	v.op("VBLENDVPS", 0, v.c("negInf"), to, to)
}

// factor makes 2 to the score in register i less that in register 10. What is left of two scores of -Inf is multiplied
// with sums of zero.
func (v *vec) factor(i int) {
	v.op("VSUBPS", 10, i, i)
	v.op("VMAXPS", v.c("least"), i, i)
	v.power(i, 0, 1)
}

// scaleStates makes the values of states of their sums of integers, each times the unit that stands in the first value's
// place.
func (v *vec) scaleStates() {
	v.begin("scaleStates", 32, "(states *float32, sums *int32, dim, n int)")
	v.Op("MOVQ states+0(FP), DI")
	v.Op("MOVQ sums+8(FP), SI")
	v.Op("MOVQ dim+16(FP), R8")
	v.Op("MOVQ n+24(FP), R9")
	v.Label("state")
	v.Op("ADDQ $8, DI")
	v.Op("VBROADCASTSS (DI), %s", v.r(8))
	v.Op("XORL AX, AX")
	v.Label("values")
	v.op("VCVTDQ2PS", "(SI)(AX*4)", 0)
	v.op("VMULPS", 8, 0, 0)
	v.op("VMOVUPS", 0, "(DI)(AX*4)")
	v.Op("ADDQ $%d, AX", v.lanes())
	v.Op("CMPQ AX, R8")
	v.Op("JLT values")
	v.Op("LEAQ (DI)(R8*4), DI")
	v.Op("LEAQ (SI)(R8*4), SI")
	v.Op("DECQ R9")
	v.Op("JNZ state")
	v.end()
}
