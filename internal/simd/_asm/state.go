package main

// mergeStates takes the states of a stretch into those of the stretches before. Values come first, filled up to whole
// groups of 16, then the highest score and the sum.
//
//	DI, SI state and part; R8 numbers of its values; R9 states left; DX bytes of a state
//	R8, R9 highest scores, then the factors of state and part; R10 highest of both
func (v *vec) mergeStates() {
	v.begin("mergeStates", 40, "(states, part *float32, size, values, n int)", append(powerConsts, "least", "negInf")...)
	v.Op("MOVQ states+0(FP), DI")
	v.Op("MOVQ part+8(FP), SI")
	v.Op("MOVQ size+16(FP), DX")
	v.Op("SHLQ $2, DX")
	v.Op("MOVQ values+24(FP), R8")
	v.Op("MOVQ n+32(FP), R9")
	v.Label("state")
	v.top("DI", 8)
	v.top("SI", 9)
	v.op("VMAXPS", 8, 9, 10)
	v.factor(8)
	v.factor(9)
	v.Op("VMOVSS 4(DI)(R8*4), X0")
	v.Op("VMOVSS 4(SI)(R8*4), X1")
	v.op("VMULPS", 8, 0, 0)
	v.op("VFMADD231PS", 9, 1, 0)
	v.Op("VMOVSS X10, (DI)(R8*4)")
	v.Op("VMOVSS X0, 4(DI)(R8*4)")
	v.Op("XORL AX, AX")
	v.Label("values")
	v.op("VMULPS", "(DI)(AX*4)", 8, 0)
	v.op("VMOVUPS", "(SI)(AX*4)", 1)
	v.op("VFMADD231PS", 9, 1, 0)
	v.op("VMOVUPS", 0, "(DI)(AX*4)")
	v.Op("ADDQ $%d, AX", v.lanes())
	v.Op("CMPQ AX, R8")
	v.Op("JLT values")
	v.Op("ADDQ DX, DI")
	v.Op("ADDQ DX, SI")
	v.Op("DECQ R9")
	v.Op("JNZ state")
	v.end()
}

// top loads the highest score of the state at p; it is -Inf where the sum of powers, which follows, is zero.
func (v *vec) top(p string, to int) {
	v.op("VBROADCASTSS", "("+p+")(R8*4)", to)
	v.op("VBROADCASTSS", "4("+p+")(R8*4)", 0)
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

// scaleStates makes the values of states of their sums of integers, each times the unit of its state.
func (v *vec) scaleStates() {
	v.begin("scaleStates", 40, "(states *float32, sums *int32, size, values, n int)")
	v.Op("MOVQ states+0(FP), DI")
	v.Op("MOVQ sums+8(FP), SI")
	v.Op("MOVQ size+16(FP), DX")
	v.Op("SHLQ $2, DX")
	v.Op("MOVQ values+24(FP), R8")
	v.Op("MOVQ n+32(FP), R9")
	v.Label("state")
	v.Op("VBROADCASTSS 8(DI)(R8*4), %s", v.r(8))
	v.Op("XORL AX, AX")
	v.Label("values")
	v.op("VCVTDQ2PS", "(SI)(AX*4)", 0)
	v.op("VMULPS", 8, 0, 0)
	v.op("VMOVUPS", 0, "(DI)(AX*4)")
	v.Op("ADDQ $%d, AX", v.lanes())
	v.Op("CMPQ AX, R8")
	v.Op("JLT values")
	v.Op("ADDQ DX, DI")
	v.Op("LEAQ (SI)(R8*4), SI")
	v.Op("DECQ R9")
	v.Op("JNZ state")
	v.end()
}
