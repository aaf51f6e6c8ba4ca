package kvcache

import "runtime"

// Gather copies the first n keys and values of a head of a layer out of kv, in
// the order of their positions, as float32 rows: k and v are [n][HeadDim]. It
// serves checks and moving a sequence from one cache to another; attention
// reads spans where they lie.
func Gather(k, v []float32, kv KV, layer, head, n int) {
	if n <= 0 {
		return
	}
	dim := len(k) / n
	if len(k) != n*dim || len(v) != len(k) {
		panic("kvcache: Gather: k and v must have n rows each")
	}
	for pos := 0; pos < n; {
		s := kv.Span(layer, head, pos)
		m := min(s.N, n-pos)
		for p := range m {
			at := (pos + p) * dim
			s.Key(k[at:at+dim], p)
			s.Value(v[at:at+dim], p)
		}
		pos += m
	}
	runtime.KeepAlive(kv) // the memory of spans goes with it
}

// Key copies the key of position p, counted from the span's start, to dst
// [HeadDim]. It is the definition of the layout rather than a fast way to read it.
func (s Span) Key(dst []float32, p int) {
	for d := range dst {
		i := p/Group*Group*len(dst) + d/2*2*Group + p%Group*2 + d%2
		switch {
		case s.K32 != nil:
			dst[d] = s.K32[p*len(dst)+d]
		case s.K16 != nil:
			dst[d] = float32(s.K16[i]) * s.KS[p]
		default:
			dst[d] = float32(s.K8[i]) * s.KS[p]
		}
	}
}

// Value copies the value of position p, counted from the span's start, to dst
// [HeadDim].
func (s Span) Value(dst []float32, p int) {
	for d := range dst {
		i := p/2*2*len(dst) + d*2 + p%2
		switch {
		case s.V32 != nil:
			dst[d] = s.V32[p*len(dst)+d]
		case s.V16 != nil:
			dst[d] = float32(s.V16[i]) * s.VS[p]
		default:
			dst[d] = float32(s.V8[i]) * s.VS[p]
		}
	}
}
