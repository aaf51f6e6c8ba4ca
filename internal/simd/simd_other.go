//go:build (!amd64 && !arm64) || purego

package simd

// Tier names the implementation in use, which is plain Go here: "go".
func Tier() string { return tierGeneric }
