package simd

import "math"

// Merge takes the states of the next stretch, part, into those of the stretches
// before; both are [n][2+dim].
func (a *Attention) Merge(states, part []float32) {
	sameLength("Merge", len(states), len(part))
	if len(states)%a.StateSize() != 0 {
		panic("simd: Merge: not whole states")
	}
	mergeStates(states, part, a.dim)
}

// Finish writes the mean of the values, as the powers weigh them, to dst [dim].
// Of a query that saw nothing it is NaN.
func (a *Attention) Finish(dst, state []float32) {
	sameLength("Finish", len(dst), a.dim)
	sameLength("Finish", len(state), a.StateSize())
	mul(dst, state[2:], 1/state[1])
}

func mergeStatesGeneric(states, part []float32, dim int) {
	for size := 2 + dim; len(states) > 0; states, part = states[size:], part[size:] {
		state, next := states[:size], part[:size]
		a, b := highest(state), highest(next)
		top := max(a, b)
		a, b = factor(a-top), factor(b-top)
		for i := range state {
			state[i] = state[i]*a + next[i]*b
		}
		state[0] = top
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

// scaleStatesGeneric makes the values of states of their sums of integers, each
// times the unit that stands in the first value's place.
func scaleStatesGeneric(states []float32, sums []int32, dim int) {
	for size := 2 + dim; len(states) > 0; states, sums = states[size:], sums[dim:] {
		values := states[2:size]
		unit := values[0]
		for i, s := range sums[:dim] {
			values[i] = float32(s) * unit
		}
	}
}
