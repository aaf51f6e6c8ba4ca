//go:build (!amd64 && !arm64) || purego

package simd

func dot(a, b []float32) float32                  { return dotGeneric(a, b) }
func add(dst, x []float32)                        { addGeneric(dst, x) }
func axpy(dst []float32, a float32, x []float32)  { axpyGeneric(dst, a, x) }
func mul(dst, x []float32, a float32)             { mulGeneric(dst, x, a) }
func shiftMul(dst, x []float32, shift, a float32) { shiftMulGeneric(dst, x, shift, a) }
func mulScaled(dst, x, w []float32, a float32)    { mulScaledGeneric(dst, x, w, a) }

func rotateHalves(x, cos, sin []float32) { rotateHalvesGeneric(x, cos, sin) }
func rotatePairs(x, cos, sin []float32)  { rotatePairsGeneric(x, cos, sin) }

func swiGLU(dst, gate, up []float32) { swiGLUGeneric(dst, gate, up) }
func geGLU(dst, gate, up []float32)  { geGLUGeneric(dst, gate, up) }

func expSum(dst, x []float32, offset float32) float32 { return expSumGeneric(dst, x, offset) }

func maximum(x []float32) float32         { return maxGeneric(x) }
func scan(x []float32, limit float32) int { return scanGeneric(x, limit) }

func collect(dst []int32, x []float32, base int, limit float32) int {
	return collectGeneric(dst, x, base, limit)
}

func packKey(dst []int16, p int, x []float32, a float32)   { packKeyGeneric(dst, p, x, a) }
func packValue(dst []int16, p int, x []float32, a float32) { packValueGeneric(dst, p, x, a) }

func mulIntsTier(p *intProduct) { mulIntsGeneric(p, 0) }

func softenTier(s *softening) { softenGeneric(s) }

func rowSize(x []float32) (squares, largest float32) { return rowSizeGeneric(x) }
func roundRow(dst []int16, x []float32, a float32)   { roundRowGeneric(dst, x, a) }

func mergeStates(states, part []float32, dim int) { mergeStatesGeneric(states, part, dim) }

func scaleStates(states []float32, sums []int32, dim int) { scaleStatesGeneric(states, sums, dim) }
