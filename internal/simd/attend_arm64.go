//go:build !purego

package simd

func mulIntsTier(p *intProduct) {
	groups := p.cols / group
	switch {
	case !useNEON || groups == 0:
		groups = 0
	case p.b.narrow != nil:
		mulBytesNEON(&p.dst[0], 4*p.dstStride, &p.a[0], 2*p.aStride, &p.b.narrow[0], p.bStep, p.bGroup, p.rows, p.pairs, groups, p.add, &p.ahead.narrow[0])
	default:
		mulIntsNEON(&p.dst[0], 4*p.dstStride, &p.a[0], 2*p.aStride, &p.b.wide[0], 2*p.bStep, 2*p.bGroup, p.rows, p.pairs, groups, p.add, &p.ahead.wide[0])
	}
	mulIntsGeneric(p, groups*group)
}

func softenTier(s *softening) {
	if useNEON {
		softenRowsNEON(&s.weights[0], &s.scores[0], &s.ks[0], &s.vs[0], &s.scales[0], &s.from[0], &s.to[0], &s.states[0], 4*s.size, s.first, s.groups, len(s.from))
	} else {
		softenGeneric(s)
	}
}

func mergeStates(states, part []float32, dim int) {
	if len(states) == 0 || dim == 0 || whole(dim) != dim {
		mergeStatesGeneric(states, part, dim)
	} else {
		mergeStatesNEON(&states[0], &part[0], dim, len(states)/(2+dim))
	}
}

func scaleStates(states []float32, sums []int32, dim int) {
	if len(states) == 0 || dim == 0 || whole(dim) != dim {
		scaleStatesGeneric(states, sums, dim)
	} else {
		scaleStatesNEON(&states[0], &sums[0], dim, len(states)/(2+dim))
	}
}

//go:noescape
func mulIntsNEON(dst *int32, dstStride int, a *int16, aStride int, b *int16, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int16)

//go:noescape
func mulBytesNEON(dst *int32, dstStride int, a *int16, aStride int, b *int8, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int8)

//go:noescape
func softenRowsNEON(weights *int16, scores *int32, ks, vs, scales *float32, from, to *int32, states *float32, stateBytes, first, groups, rows int)

//go:noescape
func mergeStatesNEON(states, part *float32, dim, n int)

//go:noescape
func scaleStatesNEON(states *float32, sums *int32, dim, n int)
