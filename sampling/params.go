package sampling

import (
	"fmt"
	"math"
)

// Params says how a token is chosen. The zero value is greedy: the token with
// the highest logit, the lowest id on ties.
type Params struct {
	Temperature float64 // 0 is greedy; logits are divided by it
	TopK        int     // keep the k most probable; 0, or at least the vocabulary, is off
	TopP        float64 // keep the fewest most probable whose probabilities sum to at least TopP, in [0,1]; 0 or 1 is off
	MinP        float64 // keep those at least MinP times as probable as the most probable, in [0,1]; 0 is off

	RepetitionPenalty float64 // divides positive logits and multiplies negative ones of tokens in prompt or output; 0 or 1 is off
	PresencePenalty   float64 // subtracted once from the logits of tokens in the output, in [-2,2]
	FrequencyPenalty  float64 // subtracted for each occurrence in the output, in [-2,2]

	Bias map[int32]float32 // added to logits; -Inf forbids a token

	Seed uint64 // the random number of a position is a function of Seed and that position alone
}

// Validate returns nil, or an error that names the first field out of range,
// its value and its range.
func (p Params) Validate() error {
	for _, f := range []struct {
		name    string
		value   float64
		lo, hi  float64
		orUnset bool
	}{
		{"Temperature", p.Temperature, 0, 100, false},
		{"TopK", float64(p.TopK), 0, math.MaxInt32, false},
		{"TopP", p.TopP, 0, 1, false},
		{"MinP", p.MinP, 0, 1, false},
		{"RepetitionPenalty", p.RepetitionPenalty, 0.01, 100, true},
		{"PresencePenalty", p.PresencePenalty, -2, 2, false},
		{"FrequencyPenalty", p.FrequencyPenalty, -2, 2, false},
	} {
		if f.orUnset && f.value == 0 {
			continue
		}
		if !(f.lo <= f.value && f.value <= f.hi) { // so that NaN fails
			return fmt.Errorf("sampling: %s is %v: want %v to %v", f.name, f.value, f.lo, f.hi)
		}
	}
	return p.validateBias()
}

func (p Params) validateBias() error {
	for id, b := range p.Bias {
		if id < 0 {
			return fmt.Errorf("sampling: Bias for token %d: ids are not negative", id)
		}
		if b != b || math.IsInf(float64(b), 1) {
			return fmt.Errorf("sampling: Bias of token %d is %v: want a finite number, or -Inf to forbid it", id, b)
		}
	}
	return nil
}
