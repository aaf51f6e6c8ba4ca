package main

// mergeStates takes the states of a stretch into those of the stretches before. The lanes of R8 to R11 are all alike.
//
//	DI, SI state and part; R9 states left; DX numbers of a state without the highest score
//	R8, R9 highest scores, then the factors of state and part; R10 highest of both
func (v *vec) mergeStates() {
	v.begin("mergeStates", 32, "(states, part *float32, size, n int)", append(powerConsts, "least", "negInf")...)
	v.Op("MOVQ states+0(FP), DI")
	v.Op("MOVQ part+8(FP), SI")
	v.Op("MOVQ size+16(FP), DX")
	v.Op("DECQ DX")
	v.Op("MOVQ n+24(FP), R9")
	v.Label("mergeState")
	v.top("DI", 8)
	v.top("SI", 9)
	v.op("VMAXPS", 8, 9, 10)
	v.factor(8)
	v.factor(9)
	v.Op("VMOVSS X10, (DI)")
	v.Op("ADDQ $4, DI")
	v.Op("ADDQ $4, SI")
	v.Op("MOVQ DX, R8")
	v.loops("mergeStates", "R8", 1, func(int) {
		v.load("(DI)", 0)
		v.load("(SI)", 1)
		v.op("VMULPS", 8, 0, 0)
		v.op("VFMADD231PS", 9, 1, 0)
		v.store(0, "(DI)")
		v.advance(4, "DI", "SI")
	})
	v.Op("MOVQ size+16(FP), R8")
	for _, p := range []string{"DI", "SI"} {
		v.Op("MOVQ %s, %s", map[string]string{"DI": "states+0(FP)", "SI": "part+8(FP)"}[p], p)
		v.Op("LEAQ (%[1]s)(R8*4), %[1]s", p)
		v.Op("MOVQ %s, %s", p, map[string]string{"DI": "states+0(FP)", "SI": "part+8(FP)"}[p])
	}
	v.Op("DECQ R9")
	v.Op("JNZ mergeState")
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
