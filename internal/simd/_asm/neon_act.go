package main

// matActNEON prints the quantiser of activations, block by block.
//
//	R0 bytes of the row  R1 its fields  R2 values  R3 blocks left  R4 size of a block  R5 distance of fields
//	V0… values  V16 magnitudes, then sums  V17 scale  V18 its inverse  V19 zero  V20 least for rounding  V21 127
func matActNEON(a *Asm) {
	v := &neonVec{Asm: a}
	v.begin("actQuantize", 40, "(bytes, fields *byte, x *float32, blocks, height int)")
	v.args("bytes", "fields", "x", "blocks", "height")
	v.Op("MOVD $%d, R12", actBytes)
	v.Op("MOVD R4, R5")
	v.Op("MUL R12, R4")
	v.Op("LSL $2, R5")
	v.zero(19)
	v.fill(20, "minus128")
	v.fill(21, "127")
	v.fill(22, "minus7")
	v.Op("MOVD $0x%08x, R6", constants["tiny"])
	v.Op("MOVD $0x7f800000, R7")
	v.Label("block")
	v.actScale()
	v.actRound()
	v.actFields()
	v.Op("ADD $128, R2")
	v.Op("ADD R4, R0")
	v.Op("ADD R4, R1")
	v.Op("SUB $1, R3")
	v.Op("CBNZ R3, block")
	v.end()
}

// actScale makes the scale and the inverse. Magnitudes are compared as integers, so that NaN is the largest of all.
func (v *neonVec) actScale() {
	for i := range 8 {
		v.Op("FMOVQ %d(R2), F%d", 16*i, i)
		v.op("fabs", 8+i, i)
	}
	for n := 4; n > 0; n /= 2 {
		for i := range n {
			v.op("umax", 8+i, 8+i, 8+n+i)
		}
	}
	v.Neon("umaxv s16, v8.4s")
	v.Op("FMOVS F16, R12")
	v.Comment("scale = most/127 unless most < tiny; inverse = 127/most where tiny <= most < infinity, else 0")
	v.Op("FDIVS F21, F16, F17")
	v.Op("FDIVS F16, F21, F18")
	v.Op("CMPW R6, R12")
	v.Op("FCSELS LO, F19, F17, F17")
	v.Op("FCSELS LO, F19, F18, F18")
	v.Op("CMPW R7, R12")
	v.Op("FCSELS HS, F19, F18, F18")
}

// actRound stores the bytes, and leaves the sums of both halves in R12 and R13. What is not a number becomes -128.
func (v *neonVec) actRound() {
	for i := range 8 {
		v.Neon("fmul v%d.4s, v%d.4s, v18.s[0]", i, i)
		v.op("fmaxnm", i, i, 20)
		v.op("fcvtns", i, i)
	}
	for i := range 4 {
		v.Neon("uzp1 v%d.8h, v%d.8h, v%d.8h", i, 2*i, 2*i+1)
	}
	for i := range 2 {
		v.Neon("uzp1 v%d.16b, v%d.16b, v%d.16b", i, 2*i, 2*i+1)
		v.Op("FMOVQ F%d, %d(R0)", i, 16*i)
	}
	for i := range 2 {
		v.Neon("saddlv h%d, v%d.16b", i, i)
		v.Neon("smov w%d, v%d.h[0]", 12+i, i)
	}
}

// actFields stores the scale, and what follows from the sums.
func (v *neonVec) actFields() {
	v.Op("ADD R12, R13")
	v.Op("LSL $7, R12")
	v.Op("LSL $7, R13")
	v.Op("NEGW R12, R12")
	v.Op("NEGW R13, R13")
	v.Op("SCVTFWS R13, F16")
	v.Op("FMULS F22, F17, F18")
	v.Op("FMULS F18, F16, F16")
	v.Op("ADD R5, R1, R14")
	v.Op("FMOVS F17, (R1)")
	v.Op("FMOVS F16, (R14)")
	v.Op("ADD R5, R14")
	v.Op("MOVW R13, (R14)")
	v.Op("ADD R5, R14")
	v.Op("MOVW R12, (R14)")
}
