package main

// rowSize makes the sum of the squares and the largest absolute value.
func (v *neonVec) rowSize() {
	v.begin("rowSize", 24, "(x *float32, n int) (squares, largest float32)")
	v.args("x", "n")
	v.zero(4, 5, 6, 7)
	v.loops("rowSize", "R1", 2, []string{"R0"}, func(i int) {
		v.load("R0", i, 0)
		v.op("fmla", 4+i, 0, 0)
		v.op("fabs", 0, 0)
		v.op("fmax", 6+i, 6+i, 0)
	})
	v.op("fadd", 4, 4, 5)
	v.op("fmax", 6, 6, 7)
	v.addAcross(4)
	v.Neon("fmaxv s6, v6.4s")
	v.Op("FMOVS F4, squares+16(FP)")
	v.Op("FMOVS F6, largest+20(FP)")
	v.end()
}

// rounds prints a kernel that rounds x*a to 16-bit integers, eight at a time; body stores them from register 0.
func (v *neonVec) rounds(name string, body func()) {
	v.begin(name, 28, "(dst *int16, x *float32, n int, a float32)")
	v.args("dst", "x", "n")
	v.argument(8, "a", 24)
	v.Label(name)
	v.Op("FMOVQ (R1), F0")
	v.Op("FMOVQ 16(R1), F1")
	v.narrow(8)
	body()
	v.Op("ADD $32, R1")
	v.Op("SUB $8, R2")
	v.Op("CBNZ R2, %s", name)
	v.end()
}

func (v *neonVec) roundRow() {
	v.rounds("roundRow", func() { v.Op("FMOVQ.P F0, 16(R0)") })
}

// packKey stores each two numbers 64 bytes from the last two.
func (v *neonVec) packKey() {
	v.rounds("packKey", func() {
		for i := range 4 {
			v.Op("VST1 V0.S[%d], (R0)", i)
			v.Op("ADD $64, R0")
		}
	})
}

// packValue stores numbers as every other one of dst. It leaves those between alone: other goroutines may write them
// meanwhile.
func (v *neonVec) packValue() {
	v.rounds("packValue", func() {
		for i := range 8 {
			v.Op("VST1 V0.H[%d], (R0)", i)
			v.Op("ADD $4, R0")
		}
	})
}
