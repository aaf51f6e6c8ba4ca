package kvcachetest

import (
	"math"
	"math/rand/v2"

	"example.com/minillm/kvcache"
)

// rows are the keys and values of a sequence. Like real ones they depend on
// the tokens up to their position, and on nothing else: the same prefix has the
// same rows, another one has others.
type rows struct {
	shape  kvcache.Shape
	tokens []int32
	hashes []uint64 // of the tokens up to each position
}

func rowsOf(shape kvcache.Shape, tokens []int32) *rows {
	r := &rows{shape: shape}
	r.extend(tokens...)
	return r
}

func (r *rows) extend(tokens ...int32) {
	h := uint64(1)
	if n := len(r.hashes); n > 0 {
		h = r.hashes[n-1]
	}
	for _, t := range tokens {
		h = scramble(h ^ uint64(uint32(t)))
		r.tokens, r.hashes = append(r.tokens, t), append(r.hashes, h)
	}
}

// number returns number d of a row: a multiple of 1/8 between -32 and 32.
func (r *rows) number(kind, layer, head, pos, d int) float32 {
	h := scramble(r.hashes[pos] + uint64((((kind*r.shape.Layers+layer)*r.shape.Heads+head)*r.shape.HeadDim + d)))
	return float32(int(h%513)-256) / 8
}

const key, value = 0, 1

func (r *rows) put(kv kvcache.KV, pos int) {
	k := make([]float32, r.shape.Heads*r.shape.HeadDim)
	v := make([]float32, len(k))
	for layer := range r.shape.Layers {
		for i := range k {
			head, d := i/r.shape.HeadDim, i%r.shape.HeadDim
			k[i], v[i] = r.number(key, layer, head, pos, d), r.number(value, layer, head, pos, d)
		}
		kv.Put(layer, pos, k, v)
	}
}

// check reads the first n rows of every head back.
func (r *rows) check(s *suite, kv kvcache.KV, n int) {
	s.Helper()
	dim := r.shape.HeadDim
	k, v := make([]float32, n*dim), make([]float32, n*dim)
	for layer := range r.shape.Layers {
		for head := range r.shape.Heads {
			kvcache.Gather(k, v, kv, layer, head, n)
			for i := range k {
				r.same(s, kv, layer, head, i/dim, i%dim, k[i], v[i])
			}
		}
	}
}

// checkCuts asks for spans from every place where one may begin.
func (r *rows) checkCuts(s *suite, kv kvcache.KV, n int) {
	s.Helper()
	k, v := make([]float32, r.shape.HeadDim), make([]float32, r.shape.HeadDim)
	for from := 0; from < n; from += kvcache.Group {
		layer, head := from%r.shape.Layers, from/kvcache.Group%r.shape.Heads
		span := kv.Span(layer, head, from)
		if span.N < kvcache.Group || span.N%kvcache.Group != 0 {
			s.Fatalf("Span from %d has %d positions", from, span.N)
		}
		for p := range min(span.N, n-from) {
			span.Key(k, p)
			span.Value(v, p)
			for d := range k {
				r.same(s, kv, layer, head, from+p, d, k[d], v[d])
			}
		}
	}
}

func (r *rows) same(s *suite, kv kvcache.KV, layer, head, pos, d int, k, v float32) {
	s.Helper()
	wantK, wantV := r.number(key, layer, head, pos, d), r.number(value, layer, head, pos, d)
	tolerance := 0.0 // else half a step of the largest scale
	switch span := kv.Span(layer, head, 0); {
	case span.K8 != nil:
		tolerance = 32. / 127 / 2 * 1.001
	case span.K16 != nil:
		tolerance = 32 * math.Sqrt(float64(r.shape.HeadDim)) / 46000 / 2 * 1.001
	}
	if math.Abs(float64(k-wantK)) > tolerance || math.Abs(float64(v-wantV)) > tolerance {
		s.Fatalf("layer %d head %d position %d number %d: key %g, value %g; want %g, %g", layer, head, pos, d, k, v, wantK, wantV)
	}
}

// scramble is the finaliser of SplitMix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func randomTokens(r *rand.Rand, n int) []int32 {
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = r.Int32N(50000)
	}
	return tokens
}
