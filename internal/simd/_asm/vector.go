package main

// The loops between the matrix products. Each is printed for both widths; see vector_amd64.go for the declarations.

func vectorAVX512(a *Asm) { vectors(&vec{Asm: a, wide: true}) }

func vectorAVX2(a *Asm) { vectors(&vec{Asm: a}) }

func vectors(v *vec) {
	v.dot()
	v.binary("add", "(dst, x *float32, n int)", 24, nil, func() {
		v.load("(DI)", 0)
		v.load("(SI)", 1)
		v.op("VADDPS", 1, 0, 0)
	})
	v.binary("axpy", "(dst, x *float32, n int, a float32)", 28, v.argument(8, "a", 24), func() {
		v.load("(DI)", 0)
		v.load("(SI)", 1)
		v.op("VFMADD231PS", 8, 1, 0)
	})
	v.binary("mul", "(dst, x *float32, n int, a float32)", 28, v.argument(8, "a", 24), func() {
		v.load("(SI)", 0)
		v.op("VMULPS", 8, 0, 0)
	})
	v.binary("shiftMul", "(dst, x *float32, n int, shift, a float32)", 32, v.arguments(v.argument(8, "a", 28), v.argument(9, "shift", 24)), func() {
		v.load("(SI)", 0)
		v.op("VSUBPS", 9, 0, 0)
		v.op("VMULPS", 8, 0, 0)
	})
	v.ternary("mulScaled", "(dst, x, w *float32, n int, a float32)", 36, v.argument(8, "a", 32), func() {
		v.load("(SI)", 0)
		v.load("(DX)", 1)
		v.op("VMULPS", 8, 0, 0)
		v.op("VMULPS", 1, 0, 0)
	})
	v.ternary("swiGLU", "(dst, gate, up *float32, n int)", 32, nil, func() {
		v.load("(SI)", 0)
		v.op("VMULPS", v.c("negLog2e"), 0, 1)
		v.gate()
	}, v.sigmoidConsts("negLog2e")...)
	v.ternary("geGLU", "(dst, gate, up *float32, n int)", 32, nil, func() {
		v.load("(SI)", 0)
		v.op("VMULPS", 0, 0, 1)
		v.op("VMOVUPS", v.c("negGelu1"), 2)
		v.op("VFMADD231PS", v.c("negGelu3"), 1, 2)
		v.op("VMULPS", 2, 0, 1)
		v.gate()
	}, v.sigmoidConsts("negGelu1", "negGelu3")...)
	v.expSum()
	v.maximum()
	v.scan()
	v.collect()
	v.rotateHalves()
	v.rotatePairs()
	v.rowSize()
	v.roundRow()
	v.packKey()
	v.packValue()
	vecConstants(v.Asm)
}

// argument returns the code that puts a float argument in all lanes of a register.
func (v *vec) argument(reg int, name string, offset int) func() {
	return func() { v.Op("VBROADCASTSS %s+%d(FP), %s", name, offset, v.r(reg)) }
}

func (v *vec) arguments(code ...func()) func() {
	return func() {
		for _, f := range code {
			f()
		}
	}
}

// binary prints dst[i] = body(dst[i], x[i]); body leaves the result in register 0.
func (v *vec) binary(name, decl string, args int, arguments func(), body func(), constants ...string) {
	v.begin(name, args, decl, constants...)
	v.Op("MOVQ dst+0(FP), DI")
	v.Op("MOVQ x+8(FP), SI")
	v.Op("MOVQ n+16(FP), R8")
	if arguments != nil {
		arguments()
	}
	v.loops(name, "R8", 1, func(int) {
		body()
		v.store(0, "(DI)")
		v.advance(4, "DI", "SI")
	})
	v.end()
}

// ternary is the same for two inputs beside dst.
func (v *vec) ternary(name, decl string, args int, arguments func(), body func(), constants ...string) {
	v.begin(name, args, decl, constants...)
	names := map[string][2]string{"mulScaled": {"x", "w"}, "swiGLU": {"gate", "up"}, "geGLU": {"gate", "up"}}[name]
	v.Op("MOVQ dst+0(FP), DI")
	v.Op("MOVQ %s+8(FP), SI", names[0])
	v.Op("MOVQ %s+16(FP), DX", names[1])
	v.Op("MOVQ n+24(FP), R8")
	if arguments != nil {
		arguments()
	}
	v.loops(name, "R8", 1, func(int) {
		body()
		v.store(0, "(DI)")
		v.advance(4, "DI", "SI", "DX")
	})
	v.end()
}

func (v *vec) end() {
	v.Op("VZEROUPPER")
	v.Op("RET")
}

// dot sums in four registers.
func (v *vec) dot() {
	v.begin("dot", 28, "(a, b *float32, n int) float32")
	v.Op("MOVQ a+0(FP), SI")
	v.Op("MOVQ b+8(FP), DX")
	v.Op("MOVQ n+16(FP), R8")
	for i := range 4 {
		v.zero(i)
	}
	v.loops("dot", "R8", 4, func(i int) {
		v.load("(SI)", 4)
		v.load("(DX)", 5)
		v.op("VFMADD231PS", 5, 4, i)
		v.advance(4, "SI", "DX")
	})
	v.op("VADDPS", 1, 0, 0)
	v.op("VADDPS", 3, 2, 2)
	v.op("VADDPS", 2, 0, 0)
	v.reduce("VADDPS", 0, 1)
	v.Op("VMOVSS X0, ret+24(FP)")
	v.end()
}

func (v *vec) sigmoidConsts(more ...string) []string {
	return append(append(more, powerConsts...), "sigmoidMax", "one")
}

// sigmoid makes 1/(1+2^t) of register t; f and p are free.
func (v *vec) sigmoid(t, f, p int) {
	if v.wide {
		v.op("VMINPS", t, v.c("sigmoidMax"), t)
	} else {
		v.op("VMOVUPS", v.c("sigmoidMax"), f)
		v.op("VMINPS", t, f, t)
		v.op("VMOVUPS", v.c("expMin"), f)
		v.op("VMAXPS", t, f, t)
	}
	v.power(t, f, p)
	if !v.wide {
		v.op("VMOVUPS", v.c("one"), f)
		v.op("VADDPS", f, t, t)
		v.op("VDIVPS", t, f, t)
		return
	}
	// An estimate of 14 bits and a step of Newton's method are quicker than a division.
	v.op("VADDPS", v.c("one"), t, t)
	v.op("VRCP14PS", t, f)
	v.op("VFNMADD213PS", v.c("one"), f, t)
	v.op("VFMADD213PS", f, f, t)
}

// gate multiplies register 0 with the sigmoid of which register 1 has the exponent, and with up.
func (v *vec) gate() {
	v.sigmoid(1, 2, 3)
	v.load("(DX)", 2)
	v.op("VMULPS", 1, 0, 0)
	v.op("VMULPS", 2, 0, 0)
}

// expSum sums in two registers.
func (v *vec) expSum() {
	v.begin("expSum", 36, "(dst, x *float32, n int, offset float32) float32", append(powerConsts, "log2e", "expMin")...)
	v.Op("MOVQ dst+0(FP), DI")
	v.Op("MOVQ x+8(FP), SI")
	v.Op("MOVQ n+16(FP), R8")
	v.Op("VBROADCASTSS offset+24(FP), %s", v.r(8))
	v.zero(4)
	v.zero(5)
	v.loops("expSum", "R8", 2, func(i int) {
		v.load("(SI)", 0)
		v.op("VSUBPS", 8, 0, 0)
		v.op("VMULPS", v.c("log2e"), 0, 0)
		v.expAny()
		v.keep(0)
		v.op("VADDPS", 0, 4+i, 4+i)
		v.store(0, "(DI)")
		v.advance(4, "DI", "SI")
	})
	v.op("VADDPS", 5, 4, 4)
	v.reduce("VADDPS", 4, 5)
	v.Op("VMOVSS X4, ret+32(FP)")
	v.end()
}

// expAny makes 2^t of any t in register 0: powers that are subnormal become zero.
func (v *vec) expAny() {
	if v.wide {
		v.op("VCMPPS", "$5", v.c("expMin"), 0, "K2") // not less than: also NaN
		v.power(0, 1, 2)
		v.op("VMOVAPS.Z", 0, "K2", 0)
		return
	}
	v.op("VCMPPS", "$5", v.c("expMin"), 0, 6)
	v.op("VMOVUPS", v.c("expMin"), 1)
	v.op("VMAXPS", 0, 1, 0)
	v.op("VMOVUPS", v.c("expMax"), 1)
	v.op("VMINPS", 0, 1, 0)
	v.power(0, 1, 2)
	v.op("VANDPS", 6, 0, 0)
}
