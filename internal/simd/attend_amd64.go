//go:build !purego

package simd

func mulIntsTier(p *intProduct) {
	groups := p.cols / group
	switch {
	case !useAVX2:
		groups = 0
	case p.b.narrow != nil:
		mulNarrow(p, groups)
	default:
		mulWide(p, groups)
	}
	mulIntsGeneric(p, groups*group)
}

func mulWide(p *intProduct, groups int) {
	dst, a, b, ahead := &p.dst[0], &p.a[0], &p.b.wide[0], &p.ahead.wide[0]
	switch {
	case useAVX512:
		mulIntsAVX512(dst, 4*p.dstStride, a, 2*p.aStride, b, 2*p.bStep, 2*p.bGroup, p.rows, p.pairs, groups, p.add, ahead)
	case useAVXVNNI:
		mulIntsAVXVNNI(dst, 4*p.dstStride, a, 2*p.aStride, b, 2*p.bStep, 2*p.bGroup, p.rows, p.pairs, groups, p.add, ahead)
	default:
		mulIntsAVX2(dst, 4*p.dstStride, a, 2*p.aStride, b, 2*p.bStep, 2*p.bGroup, p.rows, p.pairs, groups, p.add, ahead)
	}
}

func mulNarrow(p *intProduct, groups int) {
	dst, a, b, ahead := &p.dst[0], &p.a[0], &p.b.narrow[0], &p.ahead.narrow[0]
	switch {
	case useAVX512:
		mulBytesAVX512(dst, 4*p.dstStride, a, 2*p.aStride, b, p.bStep, p.bGroup, p.rows, p.pairs, groups, p.add, ahead)
	case useAVXVNNI:
		mulBytesAVXVNNI(dst, 4*p.dstStride, a, 2*p.aStride, b, p.bStep, p.bGroup, p.rows, p.pairs, groups, p.add, ahead)
	default:
		mulBytesAVX2(dst, 4*p.dstStride, a, 2*p.aStride, b, p.bStep, p.bGroup, p.rows, p.pairs, groups, p.add, ahead)
	}
}

//go:noescape
func mulIntsAVX512(dst *int32, dstStride int, a *int16, aStride int, b *int16, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int16)

//go:noescape
func mulIntsAVXVNNI(dst *int32, dstStride int, a *int16, aStride int, b *int16, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int16)

//go:noescape
func mulIntsAVX2(dst *int32, dstStride int, a *int16, aStride int, b *int16, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int16)

//go:noescape
func mulBytesAVX512(dst *int32, dstStride int, a *int16, aStride int, b *int8, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int8)

//go:noescape
func mulBytesAVXVNNI(dst *int32, dstStride int, a *int16, aStride int, b *int8, bStep, bGroup, rows, pairs, groups int, add bool, ahead *int8)

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
