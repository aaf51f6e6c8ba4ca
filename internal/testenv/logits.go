package testenv

import (
	"math"
	"slices"
	"testing"
)

// Near fails a test whose number is further from the golden one than a tolerance.
func Near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.5f, not %.5f", what, got, want)
	}
}

// Argmax returns the index of the highest logit, the first of equal ones, by the plainest loop.
func Argmax(logits []float32) (best int) {
	for i, v := range logits {
		if v > logits[best] {
			best = i
		}
	}
	return best
}

// LogSumExp returns the logarithm of the sum of the exponentials, in float64.
func LogSumExp(logits []float32) float64 {
	top := float64(slices.Max(logits))
	sum := 0.0
	for _, v := range logits {
		sum += math.Exp(float64(v) - top)
	}
	return top + math.Log(sum)
}
