package sampling

import "math"

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
	top := highest(logits)
	if top == -inf {
		return
	}
	inverse := 1 / max(t, 1e-30)
	for i, x := range logits {
		logits[i] = float32(float64(x-top) * inverse)
	}
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
// The row is not sorted: probabilities are summed in buckets of like logits,
// and only the bucket in which the sum reaches p is looked at token by token.
func TopP(logits []float32, p float64) {
	if p <= 0 || p >= 1 {
		return
	}
	w := works.Get().(*work)
	defer works.Put(w)
	top := highest(logits)
	weights := w.row(len(logits))
	sum := exps(weights, logits, top)
	if sum > 0 { // else nothing is there to keep, or NaN, which Draw reports
		cut(logits, w.nucleus(logits, weights, top, (p-slack)*sum))
	}
}

// MinP keeps the logits of tokens at least p times as probable as the most
// probable one and makes the others -Inf (Nguyen et al., "Turning Up the
// Heat: Min-p Sampling", 2024). A p of 0 keeps all, 1 only the most probable.
func MinP(logits []float32, p float64) {
	if p <= 0 {
		return
	}
	floor := float32(float64(highest(logits)) + math.Log(p) - slack)
	for i, x := range logits {
		if x < floor {
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

const (
	buckets     = 512
	bucketWidth = 1. / 16 // in units of a logit; the last bucket takes the rest
)

// bucket numbers logits from the highest down.
func bucket(x, top float32) int {
	return int(min((top-x)/bucketWidth, buckets-1))
}

// nucleus returns the last of the most probable tokens whose weights sum to at
// least target.
func (w *work) nucleus(logits, weights []float32, top float32, target float64) int32 {
	var sums [buckets]float64
	for i, x := range weights {
		if x > 0 {
			sums[bucket(logits[i], top)] += float64(x)
		}
	}
	edge, sum := 0, 0.
	for edge < buckets-1 && sum+sums[edge] < target {
		sum += sums[edge]
		edge++
	}
	w.ids = w.ids[:0]
	for i, x := range weights {
		if x > 0 && bucket(logits[i], top) == edge {
			w.ids = append(w.ids, int32(i))
		}
	}
	sortHighest(w.ids, logits)
	for _, id := range w.ids {
		if sum += float64(weights[id]); sum >= target {
			return id
		}
	}
	return w.ids[len(w.ids)-1]
}
