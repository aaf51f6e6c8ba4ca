package main

// matPrefetch prints what prefetching needs.
func matPrefetch(a *Asm) {
	a.Func("matPrefetchAMD64", 16, "func matPrefetchAMD64(b *byte, lines int)\n\nIt asks for lines of 64 bytes, to be found in the second cache.")
	a.Op("MOVQ b+0(FP), SI")
	a.Op("MOVQ lines+8(FP), CX")
	a.Label("line")
	a.Op("PREFETCHT1 (SI)")
	a.Op("ADDQ $64, SI")
	a.Op("DECQ CX")
	a.Op("JNZ line")
	a.Op("RET")

	a.Func("cpuVendor", 4, "func cpuVendor() uint32\n\nIt returns the first four letters.")
	a.Op("XORL AX, AX")
	a.Op("CPUID")
	a.Op("MOVL BX, ret+0(FP)")
	a.Op("RET")
}
