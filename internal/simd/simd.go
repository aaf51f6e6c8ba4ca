// Package simd holds the kernels: loops over slices, each in plain Go and, where the processor has them, in assembly for
// its wider instructions.
//
// An exported function checks the lengths of its arguments, then one switch picks the widest implementation; the plain Go
// one is built everywhere and is the reference of every test. Assembly gets only what has been checked, and one call of it
// stays under 100 µs, because it can't be preempted.
//
// What a kernel returns may differ in the last bits between tiers where its comment does not say that it doesn't; it never
// depends on how the work is cut into calls. All functions may be called from many goroutines; none keeps its arguments.
package simd

//go:generate go run ./_asm

// The tiers, by the instructions their assembly may use. That of arm64 has been run under emulation so far: its results are
// tested, its speed has not been measured on hardware.
const (
	tierGeneric = "go"           // plain Go
	tierAVX2    = "avx2"         // AVX2, FMA and F16C: x86-64-v3
	tierAVXVNNI = "avx2-vnni"    // the same with VNNI, which only matrix products use
	tierAVX512  = "avx512-vnni"  // AVX-512 F, BW, DQ, VL and VNNI
	tierNEON    = "neon-dotprod" // NEON with SDOT: Apple M1, Graviton 2, Ampere Altra, Raspberry Pi 5 and later
)
