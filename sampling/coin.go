package sampling

import (
	"math"

	"example.com/minillm/internal/simd"
)

// Draw returns an index of logits, chosen with the probability that [Softmax]
// gives it: the one in which u, in [0,1), falls when the probabilities are laid
// out side by side in order. It never returns one whose logit is -Inf. The
// error wraps [ErrBadLogit] or is [ErrNoToken], as for [Argmax].
func Draw(logits []float32, u float64) (int32, error) {
	w := works.Get().(*work)
	defer works.Put(w)
	return w.draw(logits, simd.Max(logits), u)
}

// draw is Draw where the highest logit is known.
func (w *work) draw(logits []float32, top float32, u float64) (int32, error) {
	sum := w.exps(logits, top)
	if !(sum > 0) || math.IsInf(sum, 0) {
		return Argmax(logits) // finds what is wrong
	}
	return int32(w.hit(u * sum)), nil
}

// hit returns the index of the weight in which target falls when all are laid
// side by side; the last one that is not 0 if rounding leaves it beyond.
func (w *work) hit(target float64) (index int) {
	lo, rest := 0, 0.
	for i, s := range w.sums {
		if s > 0 {
			lo, rest = i*stretch, target
			if target < s {
				break
			}
			target -= s
		}
	}
	for i, x := range w.weights[lo:min(lo+stretch, len(w.weights))] {
		if x > 0 {
			index = lo + i
			if rest -= float64(x); rest < 0 {
				break
			}
		}
	}
	return index
}

// Coin returns the random number in [0,1) of a position of a sequence. It is a
// function of its arguments alone, so that a sequence comes out the same
// whatever it was batched with, and when it is computed again after preemption.
func Coin(seed uint64, position int) float64 {
	bits := mix(mix(seed+gamma) + uint64(position)*gamma)
	return float64(bits>>11) * 0x1p-53
}

// ChoiceSeed returns the seed of choice i of several for one prompt, where the
// request's seed is given: choice 0 has that one, as if it were alone.
func ChoiceSeed(seed uint64, i int) uint64 {
	if i == 0 {
		return seed
	}
	return mix(mix(^seed) + uint64(i)*gamma)
}

const gamma = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast Splittable
// Pseudorandom Number Generators", 2014): a bijection in which each bit of x
// reaches every bit of the result.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
