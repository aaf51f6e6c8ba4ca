package main

// softenRows prints the kernel between the two products of attention, for rows of 256 scores each. It goes through all rows
// three times, so that the sums across the lanes of one row overlap with the work on the next. What lies at the same place
// of a group of 16 is summed first, so that the order depends on positions alone.
//
//	R0 weights, R1 scores, R2 scales, R5 from, R6 to, R7 states of the row; R8 rows left
//	R3 ks or vs, R4 numbers left, R9 weights, R10 scores of the group
//	V0 to V3 temporary; V4 to V7, V16 to V19 sums; V20 scale; V21 highest score
//	V8 indices of the lanes, V9 their step, V10 and V11 from and to, V12 the lanes that are seen, V13 temporary
func (v *neonVec) softenRows() {
	v.begin("softenRows", 12*8, "(weights *int16, scores *int32, ks, vs, scales *float32, from, to *int32, states *float32, stateBytes, first, groups, rows int)",
		append(powerConsts, "least")...)
	v.softRows("top", v.softTop)
	v.softRows("power", v.softPowers)
	v.softRows("weight", v.softWeights)
	v.end()
}

// softRows prints the loop over rows.
func (v *neonVec) softRows(name string, row func(name string)) {
	for _, p := range []struct {
		name   string
		offset int
		reg    string
	}{{"weights", 0, "R0"}, {"scores", 8, "R1"}, {"scales", 32, "R2"}, {"from", 40, "R5"}, {"to", 48, "R6"}, {"states", 56, "R7"}, {"rows", 88, "R8"}} {
		v.Op("MOVD %s+%d(FP), %s", p.name, p.offset, p.reg)
	}
	v.Label(name + "Row")
	row(name)
	v.Op("ADD $512, R0")
	v.Op("ADD $1024, R1")
	v.Op("ADD $4, R2")
	v.Op("ADD $4, R5")
	v.Op("ADD $4, R6")
	v.Op("MOVD stateBytes+64(FP), R12")
	v.Op("ADD R12, R7")
	v.Op("SUB $1, R8")
	v.Op("CBNZ R8, %sRow", name)
}

// softGroups prints the loop over the groups of a row, first where all are seen, then where some are not. Body has four
// steps.
func (v *neonVec) softGroups(name string, body func(i int)) {
	v.Op("MOVW (R5), R13")
	v.Op("MOVW (R6), R14")
	v.Op("MOVD first+72(FP), R12")
	v.Op("SUB R12, R13")
	v.Op("SUB R12, R14")
	v.softCount()
	v.Op("CMP $0, R13")
	v.Op("BGT %sSome", name)
	v.Op("CMP R4, R14")
	v.Op("BLT %sSome", name)
	v.softLoop(name+"All", body)
	v.Op("B %sDone", name)
	v.Label(name + "Some")
	v.softMask()
	v.tail = true
	v.softLoop(name+"Part", func(i int) {
		v.nextMask()
		body(i)
	})
	v.tail = false
	v.Label(name + "Done")
}

// softCount goes to the beginning of a row.
func (v *neonVec) softCount() {
	v.Op("MOVD groups+80(FP), R4")
	v.Op("LSL $4, R4")
	v.Op("MOVD R1, R10")
}

func (v *neonVec) softLoop(name string, body func(i int)) {
	v.Op("PCALIGN $16")
	v.Label(name)
	for i := range 4 {
		body(i)
	}
	v.Op("ADD $64, R10")
	v.Op("ADD $64, R3")
	v.Op("SUB $16, R4")
	v.Op("CBNZ R4, %s", name)
}

// softMask prepares the indices of lanes and their limits, from R13 and R14.
func (v *neonVec) softMask() {
	v.Neon("dup v10.4s, w13")
	v.Neon("dup v11.4s, w14")
	v.Neon("movi v9.4s, #4")
	v.Op("MOVD $0x0000000100000000, R12")
	v.Neon("ins v8.d[0], x12")
	v.Op("MOVD $0x0000000300000002, R12")
	v.Neon("ins v8.d[1], x12")
}

// nextMask makes the mask of the lanes that are seen: from <= index < to.
func (v *neonVec) nextMask() {
	v.op("cmge", 12, 8, 10)
	v.op("cmgt", 13, 11, 8)
	v.bitwise("and", 12, 12, 13)
	v.op("add", 8, 8, 9)
}

// keep zeroes the lanes that are not seen.
func (v *neonVec) keep(i int) {
	if v.tail {
		v.bitwise("and", i, i, 12)
	}
}

// softTop makes scores*ks, and the highest of them times scale. NaN is passed over.
func (v *neonVec) softTop(name string) {
	v.Op("MOVD ks+16(FP), R3")
	for i := range 4 {
		v.fill(4+i, "negInf")
	}
	v.softGroups(name, func(i int) {
		v.Op("FMOVQ %d(R10), F0", 16*i)
		v.Op("FMOVQ %d(R3), F1", 16*i)
		v.op("scvtf", 0, 0)
		v.op("fmul", 0, 0, 1)
		v.Op("FMOVQ F0, %d(R10)", 16*i)
		if v.tail {
			v.op("fmaxnm", 0, 0, 4+i)
			v.bitwise("bit", 4+i, 0, 12)
		} else {
			v.op("fmaxnm", 4+i, 4+i, 0)
		}
	})
	v.op("fmaxnm", 4, 4, 5)
	v.op("fmaxnm", 6, 6, 7)
	v.op("fmaxnm", 4, 4, 6)
	v.Neon("fmaxnmv s4, v4.4s")
	v.Op("FMOVS (R2), F0")
	v.Op("FMULS F0, F4, F4")
	v.Op("FMOVS F4, (R7)")
}

// softPowers makes 2 to the scores less the highest, their sum, and that of the powers times vs, and the unit of weights.
func (v *neonVec) softPowers(name string) {
	v.Op("MOVD vs+24(FP), R3")
	v.Op("VLD1R (R2), [V20.S4]")
	v.Op("VLD1R (R7), [V21.S4]")
	v.op("fneg", 21, 21)
	v.zero(4, 5, 6, 7, 16, 17, 18, 19)
	v.softGroups(name, func(i int) {
		v.Op("FMOVQ %d(R10), F1", 16*i)
		v.move(0, 21)
		v.op("fmla", 0, 1, 20)
		v.op("fmax", 0, 0, v.c("least"))
		v.power(0, 1, 2, 3)
		v.keep(0)
		v.op("fadd", 4+i, 4+i, 0)
		v.Op("FMOVQ %d(R3), F1", 16*i)
		v.op("fmul", 0, 0, 1)
		v.keep(0)
		v.op("fadd", 16+i, 16+i, 0)
		v.Op("FMOVQ F0, %d(R10)", 16*i)
	})
	for _, first := range []int{4, 16} {
		v.op("fadd", first, first, first+1)
		v.op("fadd", first+2, first+2, first+3)
		v.op("fadd", first, first, first+2)
		v.addAcross(first)
	}
	v.Op("FMOVS F4, 4(R7)")
	v.fill(0, "maxInt16")
	v.Op("FDIVS F0, F16, F16")
	v.Op("FMOVS F16, 8(R7)")
}

// softWeights rounds the powers times vs to units.
func (v *neonVec) softWeights(name string) {
	v.Op("FMOVS 8(R7), F4")
	v.fill(0, "tiny")
	v.Op("FMAXS F0, F4, F4")
	v.fill(5, "one")
	v.Op("FDIVS F4, F5, F4")
	v.Neon("dup v4.4s, v4.s[0]")
	v.softCount()
	v.Op("MOVD R0, R9")
	v.Op("PCALIGN $16")
	v.Label(name)
	for i := range 2 {
		v.Op("FMOVQ %d(R10), F0", 32*i)
		v.Op("FMOVQ %d(R10), F1", 32*i+16)
		v.narrow(4)
		v.Op("FMOVQ F0, %d(R9)", 16*i)
	}
	v.Op("ADD $64, R10")
	v.Op("ADD $32, R9")
	v.Op("SUB $16, R4")
	v.Op("CBNZ R4, %s", name)
}

// narrow makes 16-bit integers of registers 0 and 1 times a.
func (v *neonVec) narrow(a int) {
	for i := range 2 {
		v.op("fmul", i, i, a)
		v.op("fcvtns", i, i)
	}
	v.Neon("uzp1 v0.8h, v0.8h, v1.8h")
}
