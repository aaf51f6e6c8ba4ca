//go:build (!amd64 && !arm64) || purego

package simd

func probeRead(b []byte) { probeReadGeneric(b) }

func probeDot() (operations int) { return probeDotGeneric() }

func probeFMA() (operations int) { return probeFMAGeneric() }
