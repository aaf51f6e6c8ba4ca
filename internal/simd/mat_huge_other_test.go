//go:build !linux

package simd_test

// hugeBytes returns memory for a model's weights.
func hugeBytes(n int) []byte { return alignedBytes(n) }
