package main

// vendor prints what the distance of prefetching depends on.
func vendor(a *Asm) {
	a.Func("cpuVendor", 4, "func cpuVendor() uint32")
	a.Op("XORL AX, AX")
	a.Op("CPUID")
	a.Op("MOVL BX, ret+0(FP)")
	a.Op("RET")
}
