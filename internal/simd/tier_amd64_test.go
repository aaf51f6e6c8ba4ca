//go:build !purego

package simd

import "testing"

// forEachTier runs f as a subtest in every tier this machine has, from the widest down to plain Go.
// Neither f nor its caller may run in parallel with other tests.
func forEachTier(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	avx2, vnni, avx512 := useAVX2, useAVXVNNI, useAVX512
	defer func() { useAVX2, useAVXVNNI, useAVX512 = avx2, vnni, avx512 }()
	if useAVX512 {
		t.Run(Tier(), f)
	}
	useAVX512 = false
	if useAVXVNNI {
		t.Run(Tier(), f)
	}
	useAVXVNNI = false
	if useAVX2 {
		t.Run(Tier(), f)
	}
	useAVX2 = false
	t.Run(Tier(), f)
}
