//go:build !purego

package simd

func probeRead(b []byte) {
	lines := len(b) / 64
	switch {
	case lines == 0:
	case useNEON:
		probeReadNEON(&b[0], lines, matAhead)
	default:
		probeReadGeneric(b)
	}
}

func probeDot() (operations int) {
	if useNEON {
		probeDotNEON(probeRounds)
		return probeRounds * 24 * 16 * 2
	}
	return probeDotGeneric()
}

func probeFMA() (operations int) {
	if useNEON {
		probeFMANEON(probeRounds)
		return probeRounds * 24 * 4 * 2
	}
	return probeFMAGeneric()
}

//go:noescape
func probeReadNEON(b *byte, lines, ahead int)

func probeDotNEON(n int)

func probeFMANEON(n int)
