package simd

// RotateHalves turns every head of x, [heads][2*len(cos)], by one angle per
// pair: number i of the head's first half together with number i of its second,
// by the angle whose cosine and sine are cos[i] and sin[i]. It is rotary
// position embedding as GPT-NeoX has it. Source: Su et al., arXiv:2104.09864.
func RotateHalves(x, cos, sin []float32) {
	checkRotate("RotateHalves", x, cos, sin)
	rotateHalves(x, cos, sin)
}

// RotatePairs is like RotateHalves, but a pair is two neighbours, numbers 2i and
// 2i+1, as in the paper and in the original LLaMA.
func RotatePairs(x, cos, sin []float32) {
	checkRotate("RotatePairs", x, cos, sin)
	rotatePairs(x, cos, sin)
}

func checkRotate(kernel string, x, cos, sin []float32) {
	sameLength(kernel, len(cos), len(sin))
	if len(cos) == 0 || len(x)%(2*len(cos)) != 0 {
		panic("simd: " + kernel + ": not whole heads")
	}
}

func rotateHalvesGeneric(x, cos, sin []float32) {
	half := len(cos)
	sin = sin[:half]
	for ; len(x) > 0; x = x[2*half:] {
		low, high := x[:half], x[half:2*half]
		for i, c := range cos {
			a, b, s := low[i], high[i], sin[i]
			low[i], high[i] = a*c-b*s, b*c+a*s
		}
	}
}

func rotatePairsGeneric(x, cos, sin []float32) {
	half := len(cos)
	sin = sin[:half]
	for ; len(x) > 0; x = x[2*half:] {
		head := x[:2*half]
		for i, c := range cos {
			a, b, s := head[2*i], head[2*i+1], sin[i]
			head[2*i], head[2*i+1] = a*c-b*s, b*c+a*s
		}
	}
}
