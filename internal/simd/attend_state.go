package simd

// Merge takes the states of the next stretch, part, into those of the stretches
// before, states; both are [n][2+dim].
func (a *Attention) Merge(states, part []float32) {
	size := 2 + a.dim
	sameLength("Merge", len(states), len(part))
	for ; len(states) >= size; states, part = states[size:], part[size:] {
		mergeState(states[:size], part[:size])
	}
}

func mergeState(state, part []float32) {
	switch {
	case part[1] == 0:
	case state[1] == 0:
		copy(state, part)
	default:
		top := max(state[0], part[0])
		blend(state[1:], exp2(state[0]-top), part[1:], exp2(part[0]-top))
		state[0] = top
	}
}

// Finish writes the mean of the values, as the powers weigh them, to dst [dim].
// Of a query that saw nothing it is NaN.
func (a *Attention) Finish(dst, state []float32) {
	sameLength("Finish", len(dst), a.dim)
	sameLength("Finish", len(state), 2+a.dim)
	mul(dst, state[2:], 1/state[1])
}

// blendGeneric is dst = dst*a + x*b.
func blendGeneric(dst []float32, a float32, x []float32, b float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = dst[i]*a + x[i]*b
	}
}
