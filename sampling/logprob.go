package sampling

// MinLogprob stands for everything less likely, down to what cannot be chosen
// at all, whose logarithm would be -Inf: JSON has no word for that.
const MinLogprob = -9999

// Logprob is the natural logarithm of a token's probability, at least [MinLogprob].
type Logprob struct {
	ID      int32
	Logprob float32
}

// Logprobs appends to dst the log-probability of chosen, then those of the k
// most probable tokens, most probable first, the lower id first on ties; chosen
// may be among them. There are fewer than k if fewer can be chosen. Logits are
// usually the model's own, before penalties and temperature. Of a row that
// [Argmax] refuses every token has MinLogprob.
func Logprobs(dst []Logprob, logits []float32, chosen int32, k int) []Logprob {
	z := logSum(logits)
	dst = append(dst, logprob(logits, chosen, z))
	w := works.Get().(*work)
	defer works.Put(w)
	w.ids = Top(w.ids[:0], logits, k)
	for _, id := range w.ids {
		dst = append(dst, logprob(logits, id, z))
	}
	return dst
}

// logprob returns the entry of a token, where z is the logarithm of the sum.
func logprob(logits []float32, id int32, z float64) Logprob {
	if l := float32(float64(logits[id]) - z); l > MinLogprob { // false for NaN
		return Logprob{id, l}
	}
	return Logprob{id, MinLogprob}
}
