package main

// probesNEON prints the loops that measure the machine's limits.
func probesNEON(a *Asm) {
	a.neonRead("probeReadNEON")
	a.neonRate("probeDotNEON", func(i int) { a.Neon("sdot v%d.4s, v30.16b, v31.4b[0]", i) })
	a.neonRate("probeFMANEON", func(i int) { a.Neon("fmla v%d.4s, v30.4s, v31.s[0]", i) })
}

// neonRead prints a loop that reads lines of 64 bytes, eight at a time, and prefetches at a distance like the kernels of one
// row.
func (a *Asm) neonRead(name string) {
	a.Func(name, 24, "func "+name+"(b *byte, lines, ahead int)")
	a.Op("MOVD b+0(FP), R0")
	a.Op("MOVD lines+8(FP), R1")
	a.Op("MOVD ahead+16(FP), R2")
	a.Op("ADD R0, R2")
	a.Op("PCALIGN $32")
	a.Label("read")
	for at := 0; at < 512; at += 16 {
		a.Op("FMOVQ %d(R0), F%d", at, at/16%4)
		a.Neon("orr v%[1]d.16b, v%[1]d.16b, v%[2]d.16b", 4+at/16%4, at/16%4)
		if at%64 == 0 {
			a.Op("PRFM %d(R2), PLDL2KEEP", at)
		}
	}
	a.Op("ADD $512, R0")
	a.Op("ADD $512, R2")
	a.Op("SUB $8, R1")
	a.Op("CBNZ R1, read")
	a.Op("RET")
}

// neonRate prints a loop of op on 24 independent registers. All hold zeros, which are no slower than other numbers.
func (a *Asm) neonRate(name string, op func(i int)) {
	a.Func(name, 8, "func "+name+"(n int)")
	a.Op("MOVD n+0(FP), R0")
	for i := range 32 {
		a.Neon("movi v%d.2d, #0", i)
	}
	a.Op("PCALIGN $32")
	a.Label("again")
	for i := range neonRateOps {
		op(i)
	}
	a.Op("SUB $1, R0")
	a.Op("CBNZ R0, again")
	a.Op("RET")
}

const neonRateOps = 24
