package main

// rotateHalves goes over heads; of each it turns the pairs (low, high) by (cos, sin).
func (v *vec) rotateHalves() {
	v.begin("rotateHalves", 40, "(x, cos, sin *float32, half, heads int)")
	v.Op("MOVQ x+0(FP), SI")
	v.Op("MOVQ heads+32(FP), R9")
	v.Label("rotateHalvesHead")
	v.Op("MOVQ cos+8(FP), DX")
	v.Op("MOVQ sin+16(FP), BX")
	v.Op("MOVQ half+24(FP), R8")
	v.Op("LEAQ (SI)(R8*4), DI")
	v.loops("rotateHalves", "R8", 1, func(int) {
		v.load("(SI)", 0)
		v.load("(DI)", 1)
		v.load("(DX)", 2)
		v.load("(BX)", 3)
		v.op("VMULPS", 3, 1, 4)
		v.op("VFMSUB231PS", 2, 0, 4)
		v.op("VMULPS", 3, 0, 5)
		v.op("VFMADD231PS", 2, 1, 5)
		v.store(4, "(SI)")
		v.store(5, "(DI)")
		v.advance(4, "SI", "DI", "DX", "BX")
	})
	v.rotateNext("rotateHalvesHead")
}

// rotateNext goes on with the next head.
func (v *vec) rotateNext(label string) {
	v.Op("MOVQ half+24(FP), R8")
	v.Op("MOVQ x+0(FP), SI")
	v.Op("LEAQ (SI)(R8*8), SI")
	v.Op("MOVQ SI, x+0(FP)")
	v.Op("DECQ R9")
	v.Op("JNZ %s", label)
	v.end()
}

// rotatePairs goes over heads of whole registers. Cosines and sines are spread over the pairs; then even lanes are
// x*cos-y*sin, odd ones y*cos+x*sin.
func (v *vec) rotatePairs() {
	v.begin("rotatePairs", 40, "(x, cos, sin *float32, half, heads int)")
	v.Op("MOVQ x+0(FP), SI")
	v.Op("MOVQ heads+32(FP), R9")
	v.Label("rotatePairsHead")
	v.Op("MOVQ cos+8(FP), DX")
	v.Op("MOVQ sin+16(FP), BX")
	v.Op("MOVQ half+24(FP), R8")
	v.Label("rotatePairs")
	v.op("VMOVUPS", "(SI)", 0)
	for i, p := range []string{"(DX)", "(BX)"} {
		v.op("VPMOVZXDQ", p, 1+i)
		v.op("VMOVSLDUP", 1+i, 1+i)
	}
	v.op("VPERMILPS", "$0xb1", 0, 3)
	v.op("VMULPS", 2, 3, 3)
	v.op("VFMADDSUB213PS", 3, 1, 0)
	v.op("VMOVUPS", 0, "(SI)")
	v.advance(4, "SI")
	v.advance(2, "DX", "BX")
	v.Op("SUBQ $%d, R8", v.lanes()/2)
	v.Op("JNE rotatePairs")
	v.rotateNext("rotatePairsHead")
}
