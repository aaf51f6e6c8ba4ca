package simd

import "math"

// stateLayout is the layout of a state, by the dimension of values: the values,
// filled up with zeros to whole groups of 16, then the numbers below. So states
// begin at multiples of 64 bytes if the first one does.
type stateLayout int

// What follows the values of a state.
const (
	stateTop  = iota // highest score, in units of log2(e)
	stateSum         // of 2 to the scores less the highest
	stateUnit        // what a unit of the integer sums of values is worth
)

func (l stateLayout) values() int { return (int(l) + group - 1) / group * group }
func (l stateLayout) size() int   { return l.values() + group }

// Merge takes the states of the next stretch, part, into those of the stretches
// before.
func (a *Attention) Merge(states, part []float32) {
	sameLength("Merge", len(states), len(part))
	if len(states)%a.StateSize() != 0 {
		panic("simd: Merge: not whole states")
	}
	mergeStates(states, part, a.layout)
}

// Finish writes the mean of the values, as the powers weigh them, to dst [dim].
// Of a query that saw nothing it is NaN.
func (a *Attention) Finish(dst, state []float32) {
	sameLength("Finish", len(dst), a.dim)
	sameLength("Finish", len(state), a.StateSize())
	mul(dst, state[:a.dim], 1/state[a.layout.values()+stateSum])
}

func mergeStatesGeneric(states, part []float32, l stateLayout) {
	n := l.values()
	for ; len(states) > 0; states, part = states[l.size():], part[l.size():] {
		state, next := states[:n+2], part[:n+2]
		a, b := highest(state[n:]), highest(next[n:])
		top := max(a, b)
		a, b = factor(a-top), factor(b-top)
		for i := range state {
			state[i] = state[i]*a + next[i]*b
		}
		state[n+stateTop] = top
	}
}

// highest is the highest score of a state, given what follows the values; a
// state that has seen nothing may hold any.
func highest(s []float32) float32 {
	if s[stateSum] == 0 {
		return float32(math.Inf(-1))
	}
	return s[stateTop]
}

// factor is the power of the difference to the higher of two scores. If both are
// -Inf it does not matter: it is multiplied with sums of zero.
func factor(t float32) float32 {
	if !(t > leastPower) {
		t = leastPower
	}
	return exp2(t)
}

// scaleStatesGeneric makes the values of states of their sums of integers.
func scaleStatesGeneric(states []float32, sums []int32, l stateLayout) {
	n := l.values()
	for ; len(states) > 0; states, sums = states[l.size():], sums[n:] {
		state, unit := states[:n], states[n+stateUnit]
		for i, s := range sums[:n] {
			state[i] = float32(s) * unit
		}
	}
}
