package main

// rotateHalves goes over heads; of each it turns the pairs (low, high) by (cos, sin).
//
//	R0 low halves, R1 high ones, R2 cos, R3 sin; R4 pairs left, R5 heads left, R6 half
func (v *neonVec) rotateHalves() {
	v.heads("rotateHalves", func() {
		v.Op("ADD R6<<2, R0, R1")
		v.loops("rotateHalves", "R4", 1, []string{"R0", "R1", "R2", "R3"}, func(i int) {
			v.load("R0", i, 0)
			v.load("R1", i, 1)
			v.turn(i)
			v.store(4, "R0", i)
			v.store(5, "R1", i)
		})
		v.Op("MOVD R1, R0")
	})
}

// rotatePairs goes over heads of a multiple of four pairs, which loads and stores of two part and join.
func (v *neonVec) rotatePairs() {
	v.heads("rotatePairs", func() {
		v.Op("PCALIGN $16")
		v.Label("rotatePairs")
		v.Op("VLD2 (R0), [V0.S4, V1.S4]")
		v.turn(0)
		v.Op("VST2.P [V4.S4, V5.S4], 32(R0)")
		v.Op("ADD $16, R2")
		v.Op("ADD $16, R3")
		v.Op("SUB $4, R4")
		v.Op("CBNZ R4, rotatePairs")
	})
}

// heads prints the loop over heads; body moves R0 on.
func (v *neonVec) heads(name string, body func()) {
	v.begin(name, 40, "(x, cos, sin *float32, half, heads int)")
	v.Op("MOVD x+0(FP), R0")
	v.Op("MOVD half+24(FP), R6")
	v.Op("MOVD heads+32(FP), R5")
	v.Label(name + "Head")
	v.Op("MOVD cos+8(FP), R2")
	v.Op("MOVD sin+16(FP), R3")
	v.Op("MOVD R6, R4")
	body()
	v.Op("SUB $1, R5")
	v.Op("CBNZ R5, %sHead", name)
	v.end()
}

// turn turns pairs (V0, V1) to (V4, V5).
func (v *neonVec) turn(i int) {
	v.load("R2", i, 2)
	v.load("R3", i, 3)
	v.op("fmul", 4, 0, 2)
	v.op("fmls", 4, 1, 3)
	v.op("fmul", 5, 1, 2)
	v.op("fmla", 5, 0, 3)
}
