package main

// matAct prints the quantiser of activations, which goes through up to actChunk blocks in three steps, each a loop without long
// chains: the largest magnitudes; the scales, eight at once; the bytes and their sums. The frame has four words per block.
//
//	SI values  DI bytes of the row  BX its fields  CX blocks  R8 size of a block  R9, R10 distances of fields
//	R11 blocks at hand  R12 values again  DX block
//
// Wider registers than AVX2's gain nothing.
func matAct(a *Asm) {
	a.Data("actAbs", repeat(0x7fffffff)[:8]...)
	a.Data("actOrder", 0, 4, 1, 5, 2, 6, 3, 7)
	a.Data("actTiny", repeat(0x0da24260 - 1)[:8]...) // the largest magnitude below 1e-30
	a.Data("actInf", repeat(0x7f800000)[:8]...)
	a.Data("act127", repeat(0x42fe0000)[:8]...)
	a.Data("actOne", repeat(0x01010101)[:8]...)
	a.Data("actMinus128", repeat(0xff80ff80)[:8]...)
	a.Data("actMinus7", repeat(0xbc000000)[:8]...) // -2^-7

	a.FuncFrame("actQuantizeAVX2", frameSize, 40, "func actQuantizeAVX2(bytes, fields *byte, x *float32, blocks, height int)")
	a.Op("MOVQ bytes+0(FP), DI")
	a.Op("MOVQ fields+8(FP), BX")
	a.Op("MOVQ x+16(FP), SI")
	a.Op("MOVQ blocks+24(FP), CX")
	a.Op("MOVQ height+32(FP), R9")
	a.Op("IMUL3Q $%d, R9, R8", actBytes)
	a.Op("SHLQ $2, R9")
	a.Op("LEAQ (R9)(R9*2), R10")
	a.Op("VMOVDQU actAbs<>(SB), Y15")
	a.Op("VMOVDQU actOrder<>(SB), Y13")
	a.Op("VMOVDQU actOne<>(SB), Y12")
	a.Op("VMOVDQU actMinus128<>(SB), Y11")
	a.Label("chunk")
	a.Op("MOVQ $%d, R11", actChunk)
	a.Op("CMPQ CX, R11")
	a.Op("CMOVQLT CX, R11")
	a.Op("MOVQ SI, R12")
	actLoop(a, "magnitude", 1, "JNE", actMagnitude)
	a.Comment("what is left in the frame may be subnormal, and slow to divide")
	a.Op("VXORPS Y0, Y0, Y0")
	a.Op("VMOVUPS Y0, %d(SP)(R11*4)", frameMost)
	actLoop(a, "scale", 8, "JLT", actScales)
	actLoop(a, "round", 1, "JNE", actRound)
	a.Op("SUBQ R11, CX")
	a.Op("JNZ chunk")
	a.Op("VZEROUPPER")
	a.Op("RET")
}

// actChunk is the number of blocks in a chunk.
const actChunk = 32

// The words of the blocks in the frame, the first with room for a register more.
const (
	frameScale = 4 * actChunk * iota
	frameInverse
	frameScaled
	frameMost
	frameSize = frameMost + 4*actChunk + 32
)

// actLoop prints a loop over the blocks at hand, so many at a time.
func actLoop(a *Asm, label string, step int, jump string, body func(a *Asm)) {
	a.Op("XORL DX, DX")
	a.Op("PCALIGN $32")
	a.Label(label)
	body(a)
	a.Op("ADDQ $%d, DX", step)
	a.Op("CMPQ DX, R11")
	a.Op("%s %s", jump, label)
}

// actMagnitude puts the largest magnitude of a block to the frame. They are compared as integers, so that NaN is the largest
// of all.
func actMagnitude(a *Asm) {
	for i := range 4 {
		a.Op("VANDPS %d(SI), Y15, Y%d", 32*i, i)
	}
	a.Op("VPMAXUD Y1, Y0, Y0")
	a.Op("VPMAXUD Y3, Y2, Y2")
	a.Op("VPMAXUD Y2, Y0, Y0")
	a.Op("VEXTRACTI128 $1, Y0, X1")
	a.Op("VPMAXUD X1, X0, X0")
	a.Op("VPSHUFD $0x4e, X0, X1")
	a.Op("VPMAXUD X1, X0, X0")
	a.Op("VPSHUFD $0xb1, X0, X1")
	a.Op("VPMAXUD X1, X0, X0")
	a.Op("VMOVD X0, %d(SP)(DX*4)", frameMost)
	a.Op("ADDQ $128, SI")
}

// actScales puts the scales of eight blocks to the frame, their inverses, and the scales times -2^-7.
func actScales(a *Asm) {
	a.Op("VMOVUPS %d(SP)(DX*4), Y0", frameMost)
	a.Op("VMOVUPS act127<>(SB), Y1")
	a.Comment("scale = most/127 unless most < tiny")
	a.Op("VPCMPGTD actTiny<>(SB), Y0, Y2")
	a.Op("VDIVPS Y1, Y0, Y3")
	a.Op("VPAND Y2, Y3, Y3")
	a.Op("VMOVUPS Y3, %d(SP)(DX*4)", frameScale)
	a.Op("VMULPS actMinus7<>(SB), Y3, Y3")
	a.Op("VMOVUPS Y3, %d(SP)(DX*4)", frameScaled)
	a.Comment("inverse = 127/most where tiny <= most < infinity, else 0")
	a.Op("VMOVDQU actInf<>(SB), Y4")
	a.Op("VPCMPGTD Y0, Y4, Y4")
	a.Op("VDIVPS Y0, Y1, Y1")
	a.Op("VPAND Y2, Y1, Y1")
	a.Op("VPAND Y4, Y1, Y1")
	a.Op("VMOVUPS Y1, %d(SP)(DX*4)", frameInverse)
}

// actRound stores the bytes of a block, its scale, and what follows from the sums of the bytes.
func actRound(a *Asm) {
	a.Op("VBROADCASTSS %d(SP)(DX*4), Y4", frameInverse)
	for i := range 4 {
		a.Op("VMULPS %d(R12), Y4, Y%d", 32*i, i)
		a.Op("VCVTPS2DQ Y%d, Y%d", i, i)
	}
	a.Op("VPACKSSDW Y1, Y0, Y0")
	a.Op("VPACKSSDW Y3, Y2, Y2")
	a.Op("VPACKSSWB Y2, Y0, Y0")
	a.Op("VPERMD Y0, Y13, Y0")
	a.Op("VMOVDQU Y0, (DI)")
	a.Comment("-128 times the sums of both halves")
	a.Op("VPMADDUBSW Y0, Y12, Y0")
	a.Op("VPMADDWD Y11, Y0, Y0")
	a.Op("VPSHUFD $0x4e, Y0, Y1")
	a.Op("VPADDD Y1, Y0, Y0")
	a.Op("VPSHUFD $0xb1, Y0, Y1")
	a.Op("VPADDD Y1, Y0, Y0")
	a.Op("VEXTRACTI128 $1, Y0, X1")
	a.Op("VPADDD X1, X0, X1")
	a.Op("VMOVD X0, (BX)(R10*1)")
	a.Op("VMOVD X1, (BX)(R9*2)")
	a.Op("VCVTDQ2PS X1, X1")
	a.Op("VMULSS %d(SP)(DX*4), X1, X1", frameScaled)
	a.Op("VMOVSS X1, (BX)(R9*1)")
	a.Op("MOVL %d(SP)(DX*4), AX", frameScale)
	a.Op("MOVL AX, (BX)")
	a.Op("ADDQ $128, R12")
	a.Op("ADDQ R8, DI")
	a.Op("ADDQ R8, BX")
}
