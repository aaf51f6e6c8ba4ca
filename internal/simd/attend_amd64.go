//go:build !purego

package simd

func mulIntsTier(p *intProduct) {
	groups := 0
	switch {
	case useAVX512:
		groups = p.cols / group
		mulIntsAVX512(&p.dst[0], 4*p.dstStride, &p.a[0], 2*p.aStride, &p.b[0], 2*p.bStep, 2*p.bGroup, p.rows, p.pairs, groups, p.add)
	case useAVX2:
		groups = p.cols / group
		mulIntsAVX2(&p.dst[0], 4*p.dstStride, &p.a[0], 2*p.aStride, &p.b[0], 2*p.bStep, 2*p.bGroup, p.rows, p.pairs, groups, p.add)
	}
	mulIntsGeneric(p, groups*group)
}

//go:noescape
func mulIntsAVX512(dst *int32, dstStride int, a *int16, aStride int, b *int16, bStep, bGroup, rows, pairs, groups int, add bool)

//go:noescape
func mulIntsAVX2(dst *int32, dstStride int, a *int16, aStride int, b *int16, bStep, bGroup, rows, pairs, groups int, add bool)
