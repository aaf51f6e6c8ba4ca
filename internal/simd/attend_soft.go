package simd

import "math"

// softening makes integer weights of the scores of queries, in stretches of
// which query r sees the positions [from[r],to[r]). The arrays hold the
// positions from first on, which is a multiple of 16, in rows of Stretch.
//
// The score of position j is scores[j]*ks[j]*scale, its power is 2 to the score
// less the highest one that the query sees, its weight is power*vs[j] in units
// of which 32767 are the sum of all. What a query does not see has no weight.
// The first three numbers of the query's state become the highest score, the sum
// of the powers, and the unit. The scores are lost.
type softening struct {
	weights []int16
	scores  []int32
	ks, vs  []float32
	scales  []float32 // [rows]
	from    []int32
	to      []int32
	states  []float32 // [rows][size]
	size    int
	first   int
	groups  int // of 16 positions
}

// softRows is how many queries are softened together: so many rows of scores
// stay in the nearest cache between the passes over them.
const softRows = 8

func soften(s softening) {
	rows := len(s.from)
	if rows == 0 || s.groups == 0 {
		return
	}
	n := s.groups * group
	if s.first%group != 0 || s.first < 0 || s.first+n > Stretch {
		panic("simd: soften: not groups of a stretch")
	}
	_, _, _, _ = s.ks[:n], s.vs[:n], s.scales[:rows], s.to[:rows]
	_, _ = s.weights[(rows-1)*Stretch+n-1], s.scores[(rows-1)*Stretch+n-1]
	_ = s.states[(rows-1)*s.size+2]
	for lo := 0; lo < rows; lo += softRows {
		part := s
		part.cut(lo, min(lo+softRows, rows))
		softenTier(&part)
	}
}

// cut leaves rows [lo,hi).
func (s *softening) cut(lo, hi int) {
	s.weights, s.scores = s.weights[lo*Stretch:], s.scores[lo*Stretch:]
	s.scales, s.from, s.to = s.scales[lo:hi], s.from[lo:hi], s.to[lo:hi]
	s.states = s.states[lo*s.size:]
}

func softenGeneric(s *softening) {
	for r := range s.from {
		n := s.groups * group
		weights, scores := s.weights[r*Stretch:][:n], s.scores[r*Stretch:][:n]
		clear(weights)
		lo, hi := max(int(s.from[r])-s.first, 0), min(int(s.to[r])-s.first, n)
		state := s.states[r*s.size:][:3]
		if lo >= hi {
			state[0], state[1], state[2] = float32(math.Inf(-1)), 0, 0
			continue
		}
		state[0], state[1], state[2] = softenRow(weights[lo:hi], scores[lo:hi], s.ks[lo:hi], s.vs[lo:hi], s.scales[r])
	}
}

// leastPower is the exponent below which powers are taken for this one: they
// change no sum, and so stay far from subnormal numbers, which are slow.
const leastPower = -80

func softenRow(weights []int16, scores []int32, ks, vs []float32, scale float32) (top, sum, unit float32) {
	var room [Stretch]float32
	powers := room[:len(scores)]
	weights, ks, vs = weights[:len(powers)], ks[:len(powers)], vs[:len(powers)]
	top = float32(math.Inf(-1))
	for j, s := range scores {
		powers[j] = float32(s) * ks[j]
		if powers[j] > top {
			top = powers[j]
		}
	}
	top *= scale
	for j, x := range powers {
		e := exp2(max(x*scale-top, leastPower))
		sum += e
		powers[j] = e * vs[j]
		unit += powers[j]
	}
	unit /= math.MaxInt16
	inverse := 1 / max(unit, 1e-30)
	for j, w := range powers {
		weights[j] = roundInt16(w * inverse)
	}
	return top, sum, unit
}
