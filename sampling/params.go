package sampling

import "errors"

// ErrNoToken says that no token can be chosen: every logit is NaN or -Inf.
var ErrNoToken = errors.New("sampling: no token has a finite logit")

// Sampler picks the token that follows history, of which the first prompt
// tokens are the prompt. It leaves logits as they are and keeps no state of
// the sequence: the same arguments give the same token, whatever was sampled
// before, so one Sampler may serve many sequences and goroutines at once.
type Sampler interface {
	Sample(logits []float32, history []int32, prompt int) (int32, error)
}

// Params says how a token is chosen. The zero value is greedy: the token with
// the highest logit, the lowest id on ties.
type Params struct {
	Temperature float64 // 0 is greedy; logits are divided by it
	TopK        int     // keep the k most probable; 0, or at least the vocabulary, is off
	TopP        float64 // keep the fewest most probable whose probabilities sum to at least TopP, in (0,1]; 0 or 1 is off
	MinP        float64 // keep those at least MinP times as probable as the most probable, in [0,1]; 0 is off

	RepetitionPenalty float64 // divides positive logits and multiplies negative ones of tokens in prompt or output; 0 or 1 is off
	PresencePenalty   float64 // subtracted once from the logits of tokens in the output, in [-2,2]
	FrequencyPenalty  float64 // subtracted for each occurrence in the output, in [-2,2]

	Bias map[int32]float32 // added to logits; -Inf forbids a token

	Seed uint64 // the random number of a position is a function of Seed and that position alone
}
