//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// What the processor has. useAVXVNNI and useAVX512 imply useAVX2, and useAVX512 goes before useAVXVNNI. They are variables so
// that tests can force a lower tier; nothing else writes them.
var (
	useAVX2    = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C
	useAVXVNNI = useAVX2 && cpu.X86.HasAVXVNNI
	useAVX512  = useAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL &&
		cpu.X86.HasAVX512VNNI
)

// Tier names the widest implementation in use: "avx512-vnni", "avx2-vnni", "avx2" or "go".
func Tier() string {
	switch {
	case useAVX512:
		return tierAVX512
	case useAVXVNNI:
		return tierAVXVNNI
	case useAVX2:
		return tierAVX2
	}
	return tierGeneric
}
