package main

// matAct prints the quantiser of activations. AVX2 is enough for it; wider registers gain nothing, because most of a block's
// work is on single values.
//
//	SI values  DI bytes of the row  BX its fields  CX blocks  R8 size of a block  R9, R10 distances of fields
func matAct(a *Asm) {
	a.Data("actAbs", repeat(0x7fffffff)[:8]...)
	a.Data("actSign", repeat(0x80808080)[:8]...)
	a.Data("actOrder", 0, 4, 1, 5, 2, 6, 3, 7)
	a.Data("actTiny", repeat(0x0da24260 - 1)[:4]...) // the largest magnitude below 1e-30
	a.Data("actInf", repeat(0x7f800000)[:4]...)
	a.Data("act127", repeat(0x42fe0000)[:4]...)

	a.Func("actQuantizeAVX2", 40, "func actQuantizeAVX2(bytes, fields *byte, x *float32, blocks, height int)")
	a.Op("MOVQ bytes+0(FP), DI")
	a.Op("MOVQ fields+8(FP), BX")
	a.Op("MOVQ x+16(FP), SI")
	a.Op("MOVQ blocks+24(FP), CX")
	a.Op("MOVQ height+32(FP), R9")
	a.Op("IMUL3Q $%d, R9, R8", actBytes)
	a.Op("SHLQ $2, R9")
	a.Op("LEAQ (R9)(R9*2), R10")
	a.Op("VMOVDQU actAbs<>(SB), Y15")
	a.Op("VMOVDQU actSign<>(SB), Y14")
	a.Op("VMOVDQU actOrder<>(SB), Y13")
	a.Op("VMOVDQU actTiny<>(SB), X12")
	a.Op("VMOVDQU actInf<>(SB), X11")
	a.Op("VMOVDQU act127<>(SB), X10")
	a.Op("VPXOR X9, X9, X9")
	a.Op("PCALIGN $64")
	a.Label("block")
	actMagnitude(a)
	actScales(a)
	actRound(a)
	actSums(a)
	a.Op("ADDQ $128, SI")
	a.Op("ADDQ R8, DI")
	a.Op("ADDQ R8, BX")
	a.Op("DECQ CX")
	a.Op("JNZ block")
	a.Op("VZEROUPPER")
	a.Op("RET")
}

// actMagnitude loads 32 values to Y0…Y3 and sets all of X4 to the largest magnitude, compared as integers, so that NaN is the
// largest of all.
func actMagnitude(a *Asm) {
	for i := range 4 {
		a.Op("VMOVUPS %d(SI), Y%d", 32*i, i)
		a.Op("VANDPS Y15, Y%d, Y%d", i, 4+i)
	}
	a.Op("VPMAXUD Y5, Y4, Y4")
	a.Op("VPMAXUD Y7, Y6, Y6")
	a.Op("VPMAXUD Y6, Y4, Y4")
	a.Op("VEXTRACTI128 $1, Y4, X5")
	a.Op("VPMAXUD X5, X4, X4")
	a.Op("VPSHUFD $0x4e, X4, X5")
	a.Op("VPMAXUD X5, X4, X4")
	a.Op("VPSHUFD $0xb1, X4, X5")
	a.Op("VPMAXUD X5, X4, X4")
}

// actScales stores the scale and leaves it in X5; Y6 becomes its inverse, and Y8 all ones where the block counts.
func actScales(a *Asm) {
	a.Comment("scale = most/127 unless most < tiny")
	a.Op("VPCMPGTD X12, X4, X7")
	a.Op("VDIVSS X10, X4, X5")
	a.Op("VPAND X7, X5, X5")
	a.Op("VMOVSS X5, (BX)")
	a.Comment("inverse = 127/most, of use where tiny <= most < infinity")
	a.Op("VDIVSS X4, X10, X6")
	a.Op("VBROADCASTSS X6, Y6")
	a.Op("VPCMPGTD X4, X11, X8")
	a.Op("VPAND X7, X8, X8")
	a.Op("VPBROADCASTD X8, Y8")
}

// actRound rounds the values times Y6 to bytes, stores them, and leaves them in Y0.
func actRound(a *Asm) {
	for i := range 4 {
		a.Op("VMULPS Y6, Y%d, Y%d", i, i)
		a.Op("VCVTPS2DQ Y%d, Y%d", i, i)
	}
	a.Op("VPACKSSDW Y1, Y0, Y0")
	a.Op("VPACKSSDW Y3, Y2, Y2")
	a.Op("VPACKSSWB Y2, Y0, Y0")
	a.Op("VPERMD Y0, Y13, Y0")
	a.Op("VPAND Y8, Y0, Y0")
	a.Op("VMOVDQU Y0, (DI)")
}

// actSums stores what follows from the sums of the bytes.
func actSums(a *Asm) {
	a.Op("VPXOR Y14, Y0, Y0")
	a.Op("VPSADBW Y9, Y0, Y0")
	a.Op("VEXTRACTI128 $1, Y0, X1")
	a.Op("VPUNPCKLQDQ X1, X0, X2")
	a.Op("VPUNPCKHQDQ X1, X0, X3")
	a.Op("VPADDQ X3, X2, X2")
	a.Comment("the sums of both halves, with 128 added to each byte")
	a.Op("VMOVQ X2, AX")
	a.Op("VPEXTRQ $1, X2, DX")
	a.Op("ADDQ AX, DX")
	a.Op("SUBQ $%d, AX", 16*128)
	a.Op("SUBQ $%d, DX", 32*128)
	a.Op("VCVTSI2SSL DX, X9, X0")
	a.Op("VMULSS X0, X5, X0")
	a.Op("VMOVSS X0, (BX)(R9*1)")
	a.Op("SHLL $7, AX")
	a.Op("SHLL $7, DX")
	a.Op("NEGL AX")
	a.Op("NEGL DX")
	a.Op("MOVL DX, (BX)(R9*2)")
	a.Op("MOVL AX, (BX)(R10*1)")
}
