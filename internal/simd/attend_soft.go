package simd

import "math"

// softenRow makes integer weights of the scores of a query. The score of row j
// is scores[j]*ks[j]*scale, its power is 2 to the score less the highest one,
// its weight is power*vs[j] in units of which 32767 are the sum of all. It
// returns the highest score, the sum of the powers, and the unit.
//
// The weights have as many numbers as scores, rounded up to a multiple of 16;
// those beyond the scores become zero.
func softenRow(weights []int16, scores []int32, ks, vs []float32, scale float32) (top, sum, unit float32) {
	sameLength("softenRow", len(weights), (len(scores)+group-1)/group*group)
	sameLength("softenRow", len(scores), len(ks))
	sameLength("softenRow", len(scores), len(vs))
	if len(scores) == 0 || len(scores) > Stretch {
		panic("simd: softenRow: no scores, or more than a stretch")
	}
	return softenRowTier(weights, scores, ks, vs, scale)
}

func softenRowGeneric(weights []int16, scores []int32, ks, vs []float32, scale float32) (top, sum, unit float32) {
	var room [Stretch]float32
	powers := room[:len(scores)]
	ks, vs = ks[:len(powers)], vs[:len(powers)]
	top = float32(math.Inf(-1))
	for j, s := range scores {
		powers[j] = float32(s) * ks[j] * scale
		if powers[j] > top {
			top = powers[j]
		}
	}
	var total float32
	for j, t := range powers {
		e := exp2(t - top)
		sum += e
		powers[j] = e * vs[j]
		total += powers[j]
	}
	c := math.MaxInt16 / max(total, 1e-30)
	for j, w := range powers {
		weights[j] = roundInt16(w * c)
	}
	clear(weights[len(scores):])
	return top, sum, total / math.MaxInt16
}

// scaleInts writes x*a to dst.
func scaleInts(dst []float32, x []int32, a float32) {
	sameLength("scaleInts", len(dst), len(x))
	scaleIntsTier(dst, x, a)
}

func scaleIntsGeneric(dst []float32, x []int32, a float32) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = float32(v) * a
	}
}
