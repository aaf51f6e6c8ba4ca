//go:build (!amd64 && !arm64) || purego

package simd

import "testing"

// forEachTier runs f as a subtest in every tier: there is only plain Go.
func forEachTier(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Run(Tier(), f)
}
