package sampling

import "fmt"

// Penalize makes tokens of history less likely, or with the opposite sign more
// likely, in place. The first prompt tokens of history are the prompt, the
// others the output. Each token is treated once, however often it occurs:
//
//   - in prompt or output: a positive logit is divided by RepetitionPenalty, a
//     negative one multiplied with it (Keskar et al., "CTRL", 2019);
//   - in the output: PresencePenalty is subtracted, and FrequencyPenalty as
//     many times as the token occurs (as OpenAI's API defines them).
//
// Of p only these three count. Ids outside the row are passed over.
func Penalize(logits []float32, history []int32, prompt int, p Params) {
	w := works.Get().(*work)
	defer works.Put(w)
	w.penalize(logits, history, prompt, p)
}

// AddBias adds bias to the logits of its tokens. An id outside the row is an
// error, because ignoring it would hide a mistake.
func AddBias(logits []float32, bias map[int32]float32) error {
	for id, b := range bias {
		if id < 0 || int(id) >= len(logits) {
			return fmt.Errorf("sampling: bias for token %d, where the vocabulary has %d", id, len(logits))
		}
		logits[id] += b
	}
	return nil
}

func (p Params) penalizes() bool {
	return p.RepetitionPenalty != 0 && p.RepetitionPenalty != 1 || p.PresencePenalty != 0 || p.FrequencyPenalty != 0
}

// penalize counts, then applies and forgets each count at the token's first
// place in history, so that the table is zero again without a pass over it.
func (w *work) penalize(logits []float32, history []int32, prompt int, p Params) {
	if !p.penalizes() {
		return
	}
	if len(w.counts) < len(logits) {
		w.counts = make([]uint32, len(logits))
	}
	const seen, once = 1, 2 // the low bit says that the token occurs, the others how often in the output
	for i, id := range history {
		if uint(id) >= uint(len(logits)) {
			continue
		}
		w.counts[id] |= seen
		if i >= prompt {
			w.counts[id] += once
		}
	}
	for _, id := range history {
		if uint(id) < uint(len(logits)) && w.counts[id] != 0 {
			logits[id] = penalized(logits[id], int(w.counts[id]/once), p)
			w.counts[id] = 0
		}
	}
}

// penalized returns the logit x of a token that occurs n times in the output.
func penalized(x float32, n int, p Params) float32 {
	y := float64(x)
	if r := p.RepetitionPenalty; r != 0 {
		if y > 0 {
			y /= r
		} else {
			y *= r
		}
	}
	if n > 0 {
		y -= p.PresencePenalty + float64(n)*p.FrequencyPenalty
	}
	return float32(y)
}
