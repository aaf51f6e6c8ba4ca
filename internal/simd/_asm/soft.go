package main

// softenRows prints the kernel between the two products of attention, for rows of 256 scores each. It goes through all rows
// three times, so that the sums across the lanes of one row overlap with the work on the next.
//
//	SI scores, DI weights, DX ks or vs, R10 from, R11 to, R12 scales, R13 states of the row; R8 rows left; CX groups left
//	R0, R1, R2 temporary; R4, R5 accumulators; R8 scale; R9 highest score
//	R10 indices of the lanes, R11 their step, R12 and R13 from and to; K1 or R15 the lanes that are seen
func (v *vec) softenRows() {
	v.begin("softenRows", 12*8, "(weights *int16, scores *int32, ks, vs, scales *float32, from, to *int32, states *float32, stateBytes, first, groups, rows int)",
		append(powerConsts, "least", "negInf")...)
	v.softRows("top", v.softTop)
	v.softRows("power", v.softPowers)
	v.softRows("weight", v.softWeights)
	v.Op("VZEROUPPER")
	v.Op("RET")
}

// softRows prints the loop over rows.
func (v *vec) softRows(name string, row func(name string)) {
	for _, p := range []struct {
		name   string
		offset int
		reg    string
	}{{"weights", 0, "DI"}, {"scores", 8, "SI"}, {"scales", 32, "R12"}, {"from", 40, "R10"}, {"to", 48, "R11"}, {"states", 56, "R13"}, {"rows", 88, "R8"}} {
		v.Op("MOVQ %s+%d(FP), %s", p.name, p.offset, p.reg)
	}
	v.Label(name + "Row")
	row(name)
	v.Op("ADDQ $512, DI")
	v.Op("ADDQ $1024, SI")
	v.Op("ADDQ $4, R12")
	v.Op("ADDQ $4, R10")
	v.Op("ADDQ $4, R11")
	v.Op("ADDQ stateBytes+64(FP), R13")
	v.Op("DECQ R8")
	v.Op("JNZ %sRow", name)
}

// softGroups prints the loop over the groups of a row, first where all are seen, then where some are not. Body finds its
// place in the row in AX, counted in numbers.
func (v *vec) softGroups(name string, body func()) {
	v.Op("MOVLQSX (R10), AX")
	v.Op("MOVLQSX (R11), BX")
	v.Op("SUBQ first+72(FP), AX")
	v.Op("SUBQ first+72(FP), BX")
	v.Op("MOVQ groups+80(FP), CX")
	v.Op("SHLQ $4, CX")
	v.Op("CMPQ AX, $0")
	v.Op("JGT %sSome", name)
	v.Op("CMPQ BX, CX")
	v.Op("JLT %sSome", name)
	if v.wide {
		v.Op("KXNORW K1, K1, K1")
	}
	v.softLoop(name+"All", body)
	v.Op("JMP %sDone", name)
	v.Label(name + "Some")
	v.softMask()
	v.tail = true
	v.softLoop(name+"Part", func() {
		v.nextMask()
		body()
	})
	v.tail = false
	v.Label(name + "Done")
}

func (v *vec) softLoop(name string, body func()) {
	v.Op("XORL AX, AX")
	v.Op("PCALIGN $32")
	v.Label(name)
	body()
	v.Op("ADDQ $%d, AX", v.lanes())
	v.Op("CMPQ AX, CX")
	v.Op("JLT %s", name)
}

// softMask prepares the indices of lanes and their limits, from AX and BX.
func (v *vec) softMask() {
	for i, r := range []string{"AX", "BX"} {
		v.Op("VMOVD %s, X%d", r, 12+i)
		v.Op("VPBROADCASTD X%d, %s", 12+i, v.r(12+i))
	}
	v.Op("MOVL $%d, AX", v.lanes())
	v.Op("VMOVD AX, X11")
	v.Op("VPBROADCASTD X11, %s", v.r(11))
	if v.wide {
		v.Op("VMOVDQU32 lanes<>(SB), Z10")
	} else {
		v.Op("VMOVDQU lanes<>(SB), Y10")
	}
}

// nextMask makes the mask of the lanes that are seen: from <= index < to.
func (v *vec) nextMask() {
	if v.wide {
		v.Op("VPCMPD $5, Z12, Z10, K1")
		v.Op("VPCMPD $1, Z13, Z10, K1, K1")
		v.Op("VPADDD Z11, Z10, Z10")
		return
	}
	v.Op("VPCMPGTD Y10, Y12, Y14")
	v.Op("VPCMPGTD Y10, Y13, Y15")
	v.Op("VPANDN Y15, Y14, Y15")
	v.Op("VPADDD Y11, Y10, Y10")
}

// softTop makes scores*ks, and the highest of them times scale.
func (v *vec) softTop(name string) {
	v.Op("MOVQ ks+16(FP), DX")
	v.op("VMOVUPS", v.c("negInf"), 4)
	v.softGroups(name, func() {
		if v.wide {
			v.op("VCVTDQ2PS", "(SI)(AX*4)", 0)
			v.op("VMULPS", "(DX)(AX*4)", 0, 0)
			v.op("VMOVUPS", 0, "(SI)(AX*4)")
			v.op("VMAXPS", 4, 0, "K1", 4)
			return
		}
		v.op("VCVTDQ2PS", "(SI)(AX*4)", 0)
		v.op("VMULPS", "(DX)(AX*4)", 0, 0)
		v.op("VMOVUPS", 0, "(SI)(AX*4)")
		v.op("VMAXPS", 4, 0, 0)
		if v.tail {
			v.op("VBLENDVPS", maskReg, 0, 4, 4)
		} else {
			v.op("VMOVAPS", 0, 4)
		}
	})
	v.reduce("VMAXPS", 4, 5)
	v.Op("VMULSS (R12), X4, X4")
	v.Op("VMOVSS X4, (R13)")
}

// softPowers makes 2 to the scores less the highest, their sum, and that of the powers times vs, and the unit of weights.
func (v *vec) softPowers(name string) {
	v.Op("MOVQ vs+24(FP), DX")
	v.Op("VBROADCASTSS (R12), %s", v.r(8))
	v.Op("VBROADCASTSS (R13), %s", v.r(9))
	v.zero(4)
	v.zero(5)
	if !v.wide {
		v.op("VMOVUPS", "least<>(SB)", 3)
	}
	v.softGroups(name, func() {
		v.op("VMOVUPS", "(SI)(AX*4)", 0)
		v.op("VFMSUB213PS", 9, 8, 0)
		if v.wide {
			v.op("VMAXPS", 0, v.c("least"), 0)
		} else {
			v.op("VMAXPS", 0, 3, 0)
		}
		v.power(0, 1, 2)
		if !v.wide || v.tail {
			v.keep(0)
		}
		v.op("VADDPS", 0, 4, 4)
		v.op("VMULPS", "(DX)(AX*4)", 0, 0)
		if v.tail {
			v.keep(0)
		}
		v.op("VADDPS", 0, 5, 5)
		v.op("VMOVUPS", 0, "(SI)(AX*4)")
	})
	v.reduce("VADDPS", 4, 1)
	v.reduce("VADDPS", 5, 1)
	v.Op("VMOVSS X4, 4(R13)")
	v.Op("VDIVSS maxInt16<>(SB), X5, X5")
	v.Op("VMOVSS X5, 8(R13)")
}

// softWeights rounds the powers times vs to units.
func (v *vec) softWeights(name string) {
	v.Op("VMOVSS 8(R13), X4")
	v.Op("VMAXSS tiny<>(SB), X4, X4")
	v.Op("VMOVSS one<>(SB), X5")
	v.Op("VDIVSS X4, X5, X4")
	v.Op("VBROADCASTSS X4, %s", v.r(4))
	v.Op("MOVQ groups+80(FP), CX")
	v.Op("SHLQ $4, CX")
	v.softLoop(name, func() {
		v.op("VMULPS", "(SI)(AX*4)", 4, 0)
		v.op("VCVTPS2DQ", 0, 0)
		v.narrow("(DI)(AX*2)")
	})
}
