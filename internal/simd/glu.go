package simd

// SwiGLU writes gate*sigmoid(gate)*up to dst, which may be gate or up: the
// gated linear unit of most networks. Source: Shazeer, arXiv:2002.05202.
func SwiGLU(dst, gate, up []float32) {
	sameLength("SwiGLU", len(dst), len(gate))
	sameLength("SwiGLU", len(dst), len(up))
	swiGLU(dst, gate, up)
}

// GeGLU is like SwiGLU with the tanh approximation of GELU, as Gemma has it.
// Source: Hendrycks and Gimpel, arXiv:1606.08415.
func GeGLU(dst, gate, up []float32) {
	sameLength("GeGLU", len(dst), len(gate))
	sameLength("GeGLU", len(dst), len(up))
	geGLU(dst, gate, up)
}

func swiGLUGeneric(dst, gate, up []float32) {
	gate, up = gate[:len(dst)], up[:len(dst)]
	for i, g := range gate {
		dst[i] = g * sigmoid(g*-log2e) * up[i]
	}
}

// 0.5*(1+tanh(z)) is sigmoid(2z); these make the exponent for it, where z is
// sqrt(2/pi)*(x+0.044715*x^3).
const (
	gelu1 = -2 * 0.79788456080286535588 * log2e
	gelu3 = gelu1 * 0.044715
)

func geGLUGeneric(dst, gate, up []float32) {
	gate, up = gate[:len(dst)], up[:len(dst)]
	for i, g := range gate {
		dst[i] = g * sigmoid(g*(gelu1+gelu3*g*g)) * up[i]
	}
}
