package main

// mergeStates takes the states of a stretch into those of the stretches before. A state is the highest score, the sum, and
// dim values, which fill pairs of registers.
//
//	R0, R1 values of state and part; R2 dim; R3 states left; R4 values left
//	V20, V21 highest scores, then the factors of state and part; V22 highest of both
func (v *neonVec) mergeStates() {
	v.begin("mergeStates", 32, "(states, part *float32, dim, n int)", append(powerConsts, "least", "negInf")...)
	v.args("states", "part", "dim", "n")
	v.Label("state")
	v.top("R0", 20)
	v.top("R1", 21)
	v.op("fmax", 22, 20, 21)
	v.factor(20)
	v.factor(21)
	v.Op("FMOVS 4(R0), F0")
	v.Op("FMOVS 4(R1), F1")
	v.op("fmul", 0, 0, 20)
	v.op("fmla", 0, 1, 21)
	v.Op("FMOVS.P F22, 4(R0)")
	v.Op("FMOVS.P F0, 4(R0)")
	v.Op("ADD $8, R1")
	v.values(func(i int) {
		v.Op("FMOVQ %d(R1), F1", 16*i)
		v.op("fmul", 0, 0, 20)
		v.op("fmla", 0, 1, 21)
	})
	v.Op("SUB $1, R3")
	v.Op("CBNZ R3, state")
	v.end()
}

// values prints the loop over the values of a state at R0 and what belongs to them at R1. Body changes register 0.
func (v *neonVec) values(body func(i int)) {
	v.Op("MOVD R2, R4")
	v.Label("values")
	for i := range 2 {
		v.Op("FMOVQ %d(R0), F0", 16*i)
		body(i)
		v.Op("FMOVQ F0, %d(R0)", 16*i)
	}
	v.Op("ADD $32, R0")
	v.Op("ADD $32, R1")
	v.Op("SUB $8, R4")
	v.Op("CBNZ R4, values")
}

// top loads the highest score of the state at p; it is -Inf where the sum of powers, which follows, is zero.
func (v *neonVec) top(p string, to int) {
	v.Op("FMOVS (%s), F%d", p, to)
	v.Op("FMOVS 4(%s), F0", p)
	v.Neon("dup v%d.4s, v%d.s[0]", to, to)
	v.Neon("dup v0.4s, v0.s[0]")
	v.zero(1)
	v.op("fcmeq", 0, 0, 1)
	v.bitwise("bit", to, v.c("negInf"), 0)
}

// factor makes 2 to the score in register i less that in register 22. What is left of two scores of -Inf is multiplied with
// sums of zero.
func (v *neonVec) factor(i int) {
	v.op("fsub", i, i, 22)
	v.op("fmaxnm", i, i, v.c("least"))
	v.power(i, 0, 1, 2)
}

// scaleStates makes the values of states of their sums of integers, each times the unit that stands in the first value's
// place.
func (v *neonVec) scaleStates() {
	v.begin("scaleStates", 32, "(states *float32, sums *int32, dim, n int)")
	v.args("states", "sums", "dim", "n")
	v.Label("state")
	v.Op("ADD $8, R0")
	v.Op("VLD1R (R0), [V20.S4]")
	v.values(func(i int) {
		v.Op("FMOVQ %d(R1), F0", 16*i)
		v.op("scvtf", 0, 0)
		v.op("fmul", 0, 0, 20)
	})
	v.Op("SUB $1, R3")
	v.Op("CBNZ R3, state")
	v.end()
}
