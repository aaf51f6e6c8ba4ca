package main

// rowSize makes the sum of the squares and the largest absolute value.
func (v *vec) rowSize() {
	v.begin("rowSize", 24, "(x *float32, n int) (squares, largest float32)", "absMask")
	v.Op("MOVQ x+0(FP), SI")
	v.Op("MOVQ n+8(FP), R8")
	for i := 4; i < 8; i++ {
		v.zero(i)
	}
	v.loops("rowSize", "R8", 2, func(i int) {
		v.load("(SI)", 0)
		v.op("VFMADD231PS", 0, 0, 4+i)
		v.op("VANDPS", v.c("absMask"), 0, 0)
		v.op("VMAXPS", 6+i, 0, 6+i)
		v.advance(4, "SI")
	})
	v.op("VADDPS", 5, 4, 4)
	v.op("VMAXPS", 7, 6, 6)
	v.reduce("VADDPS", 4, 5)
	v.reduce("VMAXPS", 6, 7)
	v.Op("VMOVSS X4, squares+16(FP)")
	v.Op("VMOVSS X6, largest+20(FP)")
	v.end()
}

// roundRow rounds x*a to 16-bit integers, for whole registers.
func (v *vec) roundRow() {
	v.begin("roundRow", 28, "(dst *int16, x *float32, n int, a float32)")
	v.Op("MOVQ dst+0(FP), DI")
	v.Op("MOVQ x+8(FP), SI")
	v.Op("MOVQ n+16(FP), R8")
	v.Op("VBROADCASTSS a+24(FP), %s", v.r(8))
	v.Label("roundRow")
	v.op("VMULPS", "(SI)", 8, 0)
	v.op("VCVTPS2DQ", 0, 0)
	v.narrow("(DI)")
	v.advance(2, "DI")
	v.advance(4, "SI")
	v.Op("SUBQ $%d, R8", v.lanes())
	v.Op("JNE roundRow")
	v.end()
}

// narrow stores the integers of register 0 with 16 bits each.
func (v *vec) narrow(at string) {
	if v.wide {
		v.Op("VPMOVDW Z0, %s", at)
		return
	}
	v.Op("VEXTRACTI128 $1, Y0, X1")
	v.Op("VPACKSSDW X1, X0, X0")
	v.Op("VMOVDQU X0, %s", at)
}

// packKey rounds x*a to 16-bit integers, for whole registers, and stores each two of them 64 bytes from the last two.
func (v *vec) packKey() {
	v.begin("packKey", 28, "(dst *int16, x *float32, n int, a float32)")
	v.Op("MOVQ dst+0(FP), DI")
	v.Op("MOVQ x+8(FP), SI")
	v.Op("MOVQ n+16(FP), R8")
	v.Op("VBROADCASTSS a+24(FP), %s", v.r(8))
	v.Label("packKey")
	v.op("VMULPS", "(SI)", 8, 0)
	v.op("VCVTPS2DQ", 0, 0)
	if v.wide {
		v.Op("VPMOVDW Z0, Y0")
	} else {
		v.Op("VEXTRACTI128 $1, Y0, X1")
		v.Op("VPACKSSDW X1, X0, X0")
	}
	for i := range v.lanes() / 8 {
		v.Op("VMOVD X0, %d(DI)", 256*i)
		for j := 1; j < 4; j++ {
			v.Op("VPEXTRD $%d, X0, %d(DI)", j, 256*i+64*j)
		}
		if i == 0 && v.wide {
			v.Op("VEXTRACTI128 $1, Y0, X0")
		}
	}
	v.Op("ADDQ $%d, DI", 32*v.lanes())
	v.advance(4, "SI")
	v.Op("SUBQ $%d, R8", v.lanes())
	v.Op("JNE packKey")
	v.end()
}

// packValue rounds x*a to 16-bit integers, for whole registers, and stores them as every other one of dst. It leaves those
// between alone: other goroutines may write them meanwhile.
func (v *vec) packValue() {
	v.begin("packValue", 28, "(dst *int16, x *float32, n int, a float32)")
	v.Op("MOVQ dst+0(FP), DI")
	v.Op("MOVQ x+8(FP), SI")
	v.Op("MOVQ n+16(FP), R8")
	v.Op("VBROADCASTSS a+24(FP), %s", v.r(8))
	if v.wide {
		v.Op("MOVL $0x55555555, AX")
		v.Op("KMOVD AX, K1")
	}
	v.Label("packValue")
	v.op("VMULPS", "(SI)", 8, 0)
	v.op("VCVTPS2DQ", 0, 0)
	v.everyOther()
	v.advance(4, "DI", "SI")
	v.Op("SUBQ $%d, R8", v.lanes())
	v.Op("JNE packValue")
	v.end()
}

// everyOther stores the lower halves of the integers of register 0.
func (v *vec) everyOther() {
	if v.wide {
		v.Op("VMOVDQU16 Z0, K1, (DI)")
		return
	}
	v.Op("VEXTRACTI128 $1, Y0, X1")
	for j := range 4 {
		v.Op("VPEXTRW $%d, X0, %d(DI)", 2*j, 4*j)
		v.Op("VPEXTRW $%d, X1, %d(DI)", 2*j, 16+4*j)
	}
}
