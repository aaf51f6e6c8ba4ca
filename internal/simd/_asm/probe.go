package main

// probes prints the loops that measure the machine's limits.
func probes(a *Asm) {
	probeRead(a, "probeReadAVX512", func(at int) { a.Op("VPORQ %d(SI), Z0, Z0", at) }, 64)
	probeRead(a, "probeReadAVX2", func(at int) { a.Op("VPOR %d(SI), Y0, Y0", at) }, 32)
	probeRate(a, "probeDotAVX512", 12, func(i int) { a.Op("VPDPBUSD Z14, Z15, Z%d", i) })
	probeRate(a, "probeFMAAVX512", 12, func(i int) { a.Op("VFMADD231PS Z14, Z15, Z%d", i) })
	probeRate(a, "probeDotAVX2", 12, func(i int) {
		a.Op("VPMADDUBSW Y14, Y15, Y13")
		a.Op("VPADDW Y13, Y%d, Y%d", i, i)
	})
	probeRate(a, "probeFMAAVX2", 12, func(i int) { a.Op("VFMADD231PS Y14, Y15, Y%d", i) })
}

// probeRead prints a loop that reads lines of 64 bytes, eight at a time, by op for every width bytes, and prefetches at a
// distance like the kernels of one row.
func probeRead(a *Asm, name string, op func(at int), width int) {
	a.Func(name, 24, "func "+name+"(b *byte, lines, ahead int)")
	a.Op("MOVQ b+0(FP), SI")
	a.Op("MOVQ lines+8(FP), CX")
	a.Op("MOVQ ahead+16(FP), R13")
	a.Op("PCALIGN $64")
	a.Label("read")
	for at := 0; at < 512; at += width {
		op(at)
		if at%64 == 0 {
			a.Op("PREFETCHT1 %d(SI)(R13*1)", at)
		}
	}
	a.Op("ADDQ $512, SI")
	a.Op("SUBQ $8, CX")
	a.Op("JNZ read")
	a.Op("VZEROUPPER")
	a.Op("RET")
}

// probeRate prints a loop of op on so many independent registers. All hold zeros, which are no slower than other numbers.
func probeRate(a *Asm, name string, registers int, op func(i int)) {
	a.Func(name, 8, "func "+name+"(n int)")
	a.Op("MOVQ n+0(FP), CX")
	a.Op("VZEROALL")
	a.Op("PCALIGN $64")
	a.Label("again")
	for i := range registers {
		op(i)
	}
	a.Op("DECQ CX")
	a.Op("JNZ again")
	a.Op("VZEROUPPER")
	a.Op("RET")
}
