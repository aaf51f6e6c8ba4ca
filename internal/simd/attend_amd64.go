//go:build !purego

package simd

func mulIntsTier(p *intProduct) {
	groups := p.cols / group
	switch {
	case !useAVX2:
		groups = 0
	case p.b.narrow != nil:
		mulNarrow(p, groups)
	case useAVX512:
		mulIntsAVX512(&p.dst[0], 4*p.dstStride, &p.a[0], 2*p.aStride, &p.b.wide[0], 2*p.bStep, 2*p.bGroup, p.rows, p.pairs, groups, p.add, &p.ahead.wide[0])
	default:
		mulIntsAVX2(&p.dst[0], 4*p.dstStride, &p.a[0], 2*p.aStride, &p.b.wide[0], 2*p.bStep, 2*p.bGroup, p.rows, p.pairs, groups, p.add, &p.ahead.wide[0])
	}
	mulIntsGeneric(p, groups*group)
}

func mulNarrow(p *intProduct, groups int) {
	if useAVX512 {
		mulBytesAVX512(&p.dst[0], 4*p.dstStride, &p.a[0], 2*p.aStride, &p.b.narrow[0], p.bStep, p.bGroup, p.rows, p.pairs, groups, p.add, &p.ahead.narrow[0])
	} else {
		mulBytesAVX2(&p.dst[0], 4*p.dstStride, &p.a[0], 2*p.aStride, &p.b.narrow[0], p.bStep, p.bGroup, p.rows, p.pairs, groups, p.add, &p.ahead.narrow[0])
	}
}

//go:noescape
func mulIntsAVX512(dst *int32, dstStride int, a *int16, aStride int, b *int16, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int16)

//go:noescape
func mulIntsAVX2(dst *int32, dstStride int, a *int16, aStride int, b *int16, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int16)

//go:noescape
func mulBytesAVX512(dst *int32, dstStride int, a *int16, aStride int, b *int8, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int8)

//go:noescape
func mulBytesAVX2(dst *int32, dstStride int, a *int16, aStride int, b *int8, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int8)

func softenTier(s *softening) {
	switch {
	case useAVX512:
		softenRowsAVX512(&s.weights[0], &s.scores[0], &s.ks[0], &s.vs[0], &s.scales[0], &s.from[0], &s.to[0], &s.states[0], 4*s.size, s.first, s.groups, len(s.from))
	case useAVX2:
		softenRowsAVX2(&s.weights[0], &s.scores[0], &s.ks[0], &s.vs[0], &s.scales[0], &s.from[0], &s.to[0], &s.states[0], 4*s.size, s.first, s.groups, len(s.from))
	default:
		softenGeneric(s)
	}
}

//go:noescape
func softenRowsAVX512(weights *int16, scores *int32, ks, vs, scales *float32, from, to *int32, states *float32, stateBytes, first, groups, rows int)

//go:noescape
func softenRowsAVX2(weights *int16, scores *int32, ks, vs, scales *float32, from, to *int32, states *float32, stateBytes, first, groups, rows int)

func mergeStates(states, part []float32, dim int) {
	switch {
	case len(states) == 0 || dim == 0 || whole(dim) != dim:
		mergeStatesGeneric(states, part, dim)
	case useAVX512:
		mergeStatesAVX512(&states[0], &part[0], dim, len(states)/(2+dim))
	default:
		mergeStatesAVX2(&states[0], &part[0], dim, len(states)/(2+dim))
	}
}

func scaleStates(states []float32, sums []int32, dim int) {
	switch {
	case len(states) == 0 || dim == 0 || whole(dim) != dim:
		scaleStatesGeneric(states, sums, dim)
	case useAVX512:
		scaleStatesAVX512(&states[0], &sums[0], dim, len(states)/(2+dim))
	default:
		scaleStatesAVX2(&states[0], &sums[0], dim, len(states)/(2+dim))
	}
}

//go:noescape
func mergeStatesAVX512(states, part *float32, dim, n int)

//go:noescape
func mergeStatesAVX2(states, part *float32, dim, n int)

//go:noescape
func scaleStatesAVX512(states *float32, sums *int32, dim, n int)

//go:noescape
func scaleStatesAVX2(states *float32, sums *int32, dim, n int)
