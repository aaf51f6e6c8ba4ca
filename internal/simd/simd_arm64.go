//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// useNEON says that the processor has SDOT beside the NEON that all have. It is a variable so that tests can force plain Go;
// nothing else writes it.
var useNEON = cpu.ARM64.HasASIMD && cpu.ARM64.HasASIMDDP

// Tier names the widest implementation in use: "neon-dotprod" or "go".
func Tier() string {
	if useNEON {
		return tierNEON
	}
	return tierGeneric
}
