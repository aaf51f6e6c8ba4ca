//go:build !purego

package simd

func probeRead(b []byte) {
	lines := len(b) / 64
	switch {
	case lines == 0:
	case useAVX512:
		probeReadAVX512(&b[0], lines, matAhead)
	case useAVX2:
		probeReadAVX2(&b[0], lines, matAhead)
	default:
		probeReadGeneric(b)
	}
}

func probeDot() (operations int) {
	switch {
	case useAVX512:
		probeDotAVX512(probeRounds)
		return probeRounds * 12 * 64 * 2
	case useAVX2:
		probeDotAVX2(probeRounds)
		return probeRounds * 12 * 32 * 2
	}
	return probeDotGeneric()
}

func probeFMA() (operations int) {
	switch {
	case useAVX512:
		probeFMAAVX512(probeRounds)
		return probeRounds * 12 * 16 * 2
	case useAVX2:
		probeFMAAVX2(probeRounds)
		return probeRounds * 12 * 8 * 2
	}
	return probeFMAGeneric()
}

//go:noescape
func probeReadAVX512(b *byte, lines, ahead int)

//go:noescape
func probeReadAVX2(b *byte, lines, ahead int)

func probeDotAVX512(n int)

func probeDotAVX2(n int)

func probeFMAAVX512(n int)

func probeFMAAVX2(n int)
