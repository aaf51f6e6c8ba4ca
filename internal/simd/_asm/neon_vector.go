package main

// The loops between the matrix products; see vector_arm64.go for the declarations.

func vectorNEON(a *Asm) {
	v := &neonVec{Asm: a}
	v.dot()
	v.binary("add", "(dst, x *float32, n int)", 24, nil, func(i int) {
		v.load("R0", i, 0)
		v.load("R1", i, 1)
		v.op("fadd", 0, 0, 1)
	})
	v.binary("axpy", "(dst, x *float32, n int, a float32)", 28, func() { v.argument(8, "a", 24) }, func(i int) {
		v.load("R0", i, 0)
		v.load("R1", i, 1)
		v.op("fmla", 0, 1, 8)
	})
	v.binary("mul", "(dst, x *float32, n int, a float32)", 28, func() { v.argument(8, "a", 24) }, func(i int) {
		v.load("R1", i, 0)
		v.op("fmul", 0, 0, 8)
	})
	v.binary("shiftMul", "(dst, x *float32, n int, shift, a float32)", 32, func() {
		v.argument(8, "a", 28)
		v.argument(9, "shift", 24)
	}, func(i int) {
		v.load("R1", i, 0)
		v.op("fsub", 0, 0, 9)
		v.op("fmul", 0, 0, 8)
	})
	v.ternary("mulScaled", [2]string{"x", "w"}, "(dst, x, w *float32, n int, a float32)", 36, func() { v.argument(8, "a", 32) }, func(i int) {
		v.load("R1", i, 0)
		v.load("R2", i, 1)
		v.op("fmul", 0, 0, 8)
		v.op("fmul", 0, 0, 1)
	})
	v.ternary("swiGLU", [2]string{"gate", "up"}, "(dst, gate, up *float32, n int)", 32, nil, func(i int) {
		v.load("R1", i, 0)
		v.op("fmul", 1, 0, v.c("negLog2e"))
		v.gate(i)
	}, v.sigmoidConsts("negLog2e")...)
	v.ternary("geGLU", [2]string{"gate", "up"}, "(dst, gate, up *float32, n int)", 32, nil, func(i int) {
		v.load("R1", i, 0)
		v.op("fmul", 1, 0, 0)
		v.move(2, v.c("negGelu1"))
		v.op("fmla", 2, 1, v.c("negGelu3"))
		v.op("fmul", 1, 0, 2)
		v.gate(i)
	}, v.sigmoidConsts("negGelu1", "negGelu3")...)
	v.expSum()
	v.maximum()
	v.scan()
	v.rotateHalves()
	v.rotatePairs()
	v.rowSize()
	v.roundRow()
	v.packKey()
	v.packValue()
}

// binary prints dst[i] = body(dst[i], x[i]); body leaves the result in register 0.
func (v *neonVec) binary(name, decl string, args int, arguments func(), body func(i int), constants ...string) {
	v.begin(name, args, decl, constants...)
	v.args("dst", "x", "n")
	if arguments != nil {
		arguments()
	}
	v.loops(name, "R2", 4, []string{"R0", "R1"}, func(i int) {
		body(i)
		v.store(0, "R0", i)
	})
	v.end()
}

// ternary is the same for two inputs beside dst.
func (v *neonVec) ternary(name string, inputs [2]string, decl string, args int, arguments func(), body func(i int), constants ...string) {
	v.begin(name, args, decl, constants...)
	v.args("dst", inputs[0], inputs[1], "n")
	if arguments != nil {
		arguments()
	}
	v.loops(name, "R3", 2, []string{"R0", "R1", "R2"}, func(i int) {
		body(i)
		v.store(0, "R0", i)
	})
	v.end()
}

// dot sums in four registers.
func (v *neonVec) dot() {
	v.begin("dot", 28, "(a, b *float32, n int) float32")
	v.args("a", "b", "n")
	v.zero(0, 1, 2, 3)
	v.loops("dot", "R2", 4, []string{"R0", "R1"}, func(i int) {
		v.load("R0", i, 4)
		v.load("R1", i, 5)
		v.op("fmla", i, 4, 5)
	})
	v.op("fadd", 0, 0, 1)
	v.op("fadd", 2, 2, 3)
	v.op("fadd", 0, 0, 2)
	v.addAcross(0)
	v.Op("FMOVS F0, ret+24(FP)")
	v.end()
}

func (v *neonVec) sigmoidConsts(more ...string) []string {
	return append(append(more, powerConsts...), "sigmoidMax", "expMin", "one")
}

// gate multiplies register 0 with the sigmoid 1/(1+2^t) of which register 1 has the exponent, and with up.
func (v *neonVec) gate(i int) {
	v.op("fmin", 1, 1, v.c("sigmoidMax"))
	v.op("fmax", 1, 1, v.c("expMin"))
	v.power(1, 2, 3, 4)
	v.op("fadd", 1, 1, v.c("one"))
	v.op("fdiv", 1, v.c("one"), 1)
	v.load("R2", i, 2)
	v.op("fmul", 0, 0, 1)
	v.op("fmul", 0, 0, 2)
}

// expSum sums in two registers, and the tail in the first lane of a third. Powers that are subnormal become zero.
func (v *neonVec) expSum() {
	v.begin("expSum", 36, "(dst, x *float32, n int, offset float32) float32", append(powerConsts, "log2e", "expMin", "expMax")...)
	v.args("dst", "x", "n")
	v.argument(8, "offset", 24)
	v.zero(4, 5, 6)
	v.loops("expSum", "R2", 2, []string{"R0", "R1"}, func(i int) {
		v.load("R1", i, 0)
		v.op("fsub", 0, 0, 8)
		v.op("fmul", 0, 0, v.c("log2e"))
		v.op("fcmgt", 7, v.c("expMin"), 0)
		v.op("fmax", 0, 0, v.c("expMin"))
		v.op("fmin", 0, 0, v.c("expMax"))
		v.power(0, 1, 2, 3)
		v.bitwise("bic", 0, 0, 7)
		v.store(0, "R0", i)
		if v.tail {
			v.Op("FADDS F0, F6, F6")
		} else {
			v.op("fadd", 4+i, 4+i, 0)
		}
	})
	v.op("fadd", 4, 4, 5)
	v.op("fadd", 4, 4, 6)
	v.addAcross(4)
	v.Op("FMOVS F4, ret+32(FP)")
	v.end()
}

// maximum never lets NaN in: it is not greater than anything.
func (v *neonVec) maximum() {
	v.begin("max", 20, "(x *float32, n int) float32", "negInf")
	v.args("x", "n")
	for i := range 4 {
		v.move(i, v.c("negInf"))
	}
	v.loops("max", "R1", 4, []string{"R0"}, func(i int) {
		if v.tail {
			v.Op("VLD1R (R0), [V4.S4]")
		} else {
			v.load("R0", i, 4)
		}
		v.op("fcmgt", 5, 4, i)
		v.bitwise("bit", i, 4, 5)
	})
	v.op("fmax", 0, 0, 1)
	v.op("fmax", 2, 2, 3)
	v.op("fmax", 0, 0, 2)
	v.Neon("fmaxnmv s0, v0.4s")
	v.Op("FMOVS F0, ret+16(FP)")
	v.end()
}

// scan looks for the first number that is not below limit: for the first 16 that have one, then one by one.
func (v *neonVec) scan() {
	v.begin("scan", 32, "(x *float32, n int, limit float32) int")
	v.args("x", "n")
	v.argument(8, "limit", 16)
	v.Op("SUBS $16, R1, R2")
	v.Op("BLT each")
	v.Label("sixteen")
	for i := range 4 {
		v.Op("FMOVQ %d(R0), F%d", 16*i, i)
		v.op("fcmge", i, i, 8)
	}
	v.bitwise("orr", 0, 0, 1)
	v.bitwise("orr", 2, 2, 3)
	v.bitwise("orr", 0, 0, 2)
	v.Neon("umaxv s0, v0.4s")
	v.Op("FMOVS F0, R3")
	v.Op("CBNZ R3, each")
	v.Op("ADD $64, R0")
	v.Op("SUBS $16, R2")
	v.Op("BGE sixteen")
	v.Label("each")
	v.Op("MOVD x+0(FP), R3")
	v.Op("SUB R3, R0, R3")
	v.Op("LSR $2, R3")
	v.Label("one")
	v.Op("CMP R1, R3")
	v.Op("BGE found")
	v.Op("FMOVS.P 4(R0), F0")
	v.Op("FCMPS F8, F0")
	v.Op("BGE found")
	v.Op("ADD $1, R3")
	v.Op("B one")
	v.Label("found")
	v.Op("MOVD R3, ret+24(FP)")
	v.end()
}
