package transformer

import "math"

// smooth makes the channels of a layer's keys alike. Rows of integers have one
// scale for all channels of a head, so that a few large ones leave the others
// few steps. Biases (qwen2) and norms of heads (qwen3, gemma3) tell which are
// large: keys are divided and queries multiplied by the same powers of two, and
// no score changes, not even in its last bit where rows are float32. Source: the
// smoothing of Xiao et al., arXiv:2211.10438, for keys instead of activations.
func (y *layer) smooth(c *config) {
	switch {
	case y.kNorm != nil:
		f := factors(y.kNorm, 0, c.interleaved)
		for i, x := range f {
			y.qNorm[i] *= x
			y.kNorm[i] /= x
		}
	case y.kBias != nil:
		for h := range c.kvHeads {
			bias := y.kBias[h*c.headDim:][:c.headDim]
			f := factors(bias, mean(bias), c.interleaved)
			for range c.heads / c.kvHeads {
				y.qFactors = append(y.qFactors, f...)
			}
			for _, x := range f {
				y.kFactors = append(y.kFactors, 1/x)
			}
		}
	}
}

// factors returns the power of two next to the size of each channel, beside
// that of the typical one. The channels that RoPE turns into each other have the
// same. What a channel has beside x, such as the part of keys that is no bias, is
// about rest.
func factors(x []float32, rest float64, interleaved bool) []float32 {
	half := len(x) / 2
	sizes := make([]float64, half)
	sum := 0.
	for i := range sizes {
		a, b := pair(i, half, interleaved)
		size := math.Hypot(math.Hypot(float64(x[a]), rest), math.Hypot(float64(x[b]), rest))
		sizes[i] = math.Log2(max(size, 1e-30))
		sum += sizes[i]
	}
	f := make([]float32, len(x))
	for i, size := range sizes {
		a, b := pair(i, half, interleaved)
		power := math.Floor(size - sum/float64(half) + 0.5)
		f[a] = float32(math.Exp2(min(max(power, -mostPower), mostPower)))
		f[b] = f[a]
	}
	return f
}

// mostPower keeps factors near to one where channels are next to nothing.
const mostPower = 10

// pair is the channels that RoPE turns together.
func pair(i, half int, interleaved bool) (a, b int) {
	if interleaved {
		return 2 * i, 2*i + 1
	}
	return i, i + half
}

// mean is that of magnitudes.
func mean(x []float32) float64 {
	sum := 0.
	for _, v := range x {
		sum += math.Abs(float64(v))
	}
	return sum / float64(len(x))
}
