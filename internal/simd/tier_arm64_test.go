//go:build !purego

package simd

import "testing"

// forEachTier runs f as a subtest in every tier this machine has, from the widest down to plain Go.
// Neither f nor its caller may run in parallel with other tests.
func forEachTier(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	neon := useNEON
	defer func() { useNEON = neon }()
	if useNEON {
		t.Run(Tier(), f)
	}
	useNEON = false
	t.Run(Tier(), f)
}
