package simd

import "math"

// Merge takes the states of the next stretch, part, into those of the stretches
// before, states; both are [n][2+dim]. Before the first stretch all states are
// zero.
func (a *Attention) Merge(states, part []float32) {
	sameLength("Merge", len(states), len(part))
	if len(states)%(2+a.dim) != 0 {
		panic("simd: Merge: not whole states")
	}
	mergeStates(states, part, 2+a.dim)
}

// Finish writes the mean of the values, as the powers weigh them, to dst [dim].
// Of a query that saw nothing it is NaN.
func (a *Attention) Finish(dst, state []float32) {
	sameLength("Finish", len(dst), a.dim)
	sameLength("Finish", len(state), 2+a.dim)
	mul(dst, state[2:], 1/state[1])
}

func mergeStatesGeneric(states, part []float32, size int) {
	for ; len(states) > 0; states, part = states[size:], part[size:] {
		state, next := states[:size], part[:size]
		top := max(highest(state), highest(next))
		a, b := factor(highest(state)-top), factor(highest(next)-top)
		state[0] = top
		for i := 1; i < size; i++ {
			state[i] = state[i]*a + next[i]*b
		}
	}
}

// highest is the highest score of a state; a state that has seen nothing may
// hold any.
func highest(state []float32) float32 {
	if state[1] == 0 {
		return float32(math.Inf(-1))
	}
	return state[0]
}

// factor is the power of the difference to the higher of two scores. If both are
// -Inf it does not matter: it is multiplied with sums of zero.
func factor(t float32) float32 {
	if !(t > leastPower) {
		t = leastPower
	}
	return exp2(t)
}
