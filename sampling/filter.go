package sampling

import (
	"math"
	"slices"

	"example.com/minillm/internal/simd"
)

// slack is how far two sums or logarithms of probabilities may lie apart and
// still count as equal: logits in float32 say no more than this.
const slack = 1e-6

// Temperature divides logits by t, which flattens (t > 1) or sharpens (t < 1)
// their probabilities. They are shifted first so that the highest becomes 0:
// no probability changes by that, and a tiny t cannot overflow. With t = 0
// only the highest remains, the lowest id on ties; the others become -Inf.
func Temperature(logits []float32, t float64) {
	if t == 0 {
		TopK(logits, 1)
		return
	}
	if top := simd.Max(logits); top > -inf {
		temper(logits, logits, top, t)
	}
}

// temper writes logits, shifted so that top becomes 0, over t to dst.
func temper(dst, logits []float32, top float32, t float64) {
	simd.ShiftScale(dst, logits, top, float32(1/max(t, 1e-30))) // finite
}

// TopK keeps the k highest logits, the lower id on ties, and makes the others
// -Inf. A k of 0, or of at least len(logits), keeps all.
func TopK(logits []float32, k int) {
	if k <= 0 || k >= len(logits) {
		return
	}
	w := works.Get().(*work)
	defer works.Put(w)
	w.ids = Top(w.ids[:0], logits, k)
	if n := len(w.ids); n > 0 {
		cut(logits, w.ids[n-1])
	}
}

// TopP keeps the fewest highest logits whose probabilities sum to at least p,
// the lower id on ties, and makes the others -Inf: the nucleus of Holtzman et
// al., "The Curious Case of Neural Text Degeneration" (2019). At least one
// remains. A p of 0 or 1 keeps all.
//
// The row is not sorted. The probabilities of the likeliest are summed in buckets
// of like logits, and only the bucket in which the sum reaches p is sorted.
func TopP(logits []float32, p float64) {
	if p <= 0 || p >= 1 {
		return
	}
	w := works.Get().(*work)
	defer works.Put(w)
	only(logits, w.topP(logits, simd.Max(logits), p))
}

// topP returns the tokens that TopP keeps, in order, where the highest logit is known; nil where there are no
// probabilities, which Draw reports.
func (w *work) topP(logits []float32, top float32, p float64) []int32 {
	sum := w.exps(logits, top)
	if !(sum > 0) || math.IsInf(sum, 0) {
		return nil
	}
	target := (p - slack) * sum
	last := w.nucleus(logits, top, target, math.Log((1-p)*sum/float64(len(logits))))
	w.likely = simd.AppendAtLeast(w.likely[:0], logits, logits[last])
	return slices.DeleteFunc(w.likely, func(id int32) bool { return id > last && logits[id] == logits[last] })
}

// MinP keeps the logits of tokens at least p times as probable as the most
// probable one and makes the others -Inf (Nguyen et al., "Turning Up the
// Heat: Min-p Sampling", 2024). A p of 0 keeps all, 1 only the most probable.
func MinP(logits []float32, p float64) {
	if p <= 0 {
		return
	}
	w := works.Get().(*work)
	defer works.Put(w)
	only(logits, w.minP(logits, simd.Max(logits), p))
}

// minP returns the tokens that MinP keeps, in order, where the highest logit is known.
func (w *work) minP(logits []float32, top float32, p float64) []int32 {
	floor := float64(top) + math.Log(p) - slack
	w.likely = simd.AppendAtLeast(w.likely[:0], logits, float32(floor))
	return w.likely
}

// only makes all logits -Inf but those of ids, which ascend. Without any it leaves the row as it is.
func only(logits []float32, ids []int32) {
	next := 0
	for _, id := range ids {
		forbid(logits[next:id])
		next = int(id) + 1
	}
	if len(ids) > 0 {
		forbid(logits[next:])
	}
}

// forbid makes logits -Inf, but for NaN, which Draw is to report.
func forbid(logits []float32) {
	for i, x := range logits {
		if x == x {
			logits[i] = -inf
		}
	}
}

// cut makes all logits -Inf that are lower than that of last, or as high at a
// higher id.
func cut(logits []float32, last int32) {
	floor := logits[last]
	for i, x := range logits {
		if x < floor || x == floor && int32(i) > last {
			logits[i] = -inf
		}
	}
}

// A histogram sums weights of like logits: from top down, so many buckets for each unit of a logit.
type histogram struct {
	top, scale float32
	sums       [512]float64
}

func (h *histogram) reset(top float32, depth float64) {
	*h = histogram{top: top, scale: float32(float64(len(h.sums)) / -depth)}
}

func (h *histogram) bucket(x float32) int { return min(int((h.top-x)*h.scale), len(h.sums)-1) }

// edge returns the bucket in which the sum, from the top down, reaches target, and the sum before it. That is the last
// one that has anything if none does.
func (h *histogram) edge(target float64) (edge int, before float64) {
	sum := 0.
	for b, s := range h.sums {
		if s > 0 {
			edge, before = b, sum
			if sum += s; sum >= target {
				break
			}
		}
	}
	return edge, before
}

// depths are how far below the highest logit those are sought that make up p, the nearest first: mostly few are enough.
var depths = [...]float64{-5, -10}

// nucleus returns the last of the most probable tokens whose weights sum to at least target. Tokens deeper than floor are
// so improbable that all like them could not make up what is missing.
func (w *work) nucleus(logits []float32, top float32, target, floor float64) int32 {
	for _, depth := range depths {
		if depth > floor && w.seek(logits, top, depth) >= target {
			return w.edgeOf(logits, target)
		}
	}
	w.seek(logits, top, floor-slack)
	return w.edgeOf(logits, target)
}

// seek leaves the tokens whose logits are at most depth below top in w.likely, and sums their weights in buckets.
func (w *work) seek(logits []float32, top float32, depth float64) (sum float64) {
	w.likely = simd.AppendAtLeast(w.likely[:0], logits, top+float32(depth))
	w.histogram.reset(top, depth)
	for _, id := range w.likely {
		w.histogram.sums[w.histogram.bucket(logits[id])] += float64(w.weights[id])
	}
	for _, s := range w.histogram.sums {
		sum += s
	}
	return sum
}

// edgeOf returns the one of w.likely with which the sum, from the most probable down, reaches target.
func (w *work) edgeOf(logits []float32, target float64) int32 {
	edge, sum := w.histogram.edge(target)
	w.edge = w.edge[:0]
	for _, id := range w.likely {
		if w.histogram.bucket(logits[id]) == edge {
			w.edge = append(w.edge, id)
		}
	}
	sortHighest(w.edge, logits)
	for _, id := range w.edge {
		if sum += float64(w.weights[id]); sum >= target {
			return id
		}
	}
	return w.edge[len(w.edge)-1]
}
