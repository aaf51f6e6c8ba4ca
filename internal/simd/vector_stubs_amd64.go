//go:build !purego

package simd

//go:noescape
func dotAVX512(a, b *float32, n int) float32

//go:noescape
func addAVX512(dst, x *float32, n int)

//go:noescape
func axpyAVX512(dst, x *float32, n int, a float32)

//go:noescape
func mulAVX512(dst, x *float32, n int, a float32)

//go:noescape
func shiftMulAVX512(dst, x *float32, n int, shift, a float32)

//go:noescape
func mulScaledAVX512(dst, x, w *float32, n int, a float32)

//go:noescape
func swiGLUAVX512(dst, gate, up *float32, n int)

//go:noescape
func geGLUAVX512(dst, gate, up *float32, n int)

//go:noescape
func expSumAVX512(dst, x *float32, n int, offset float32) float32

//go:noescape
func maxAVX512(x *float32, n int) float32

//go:noescape
func scanAVX512(x *float32, n int, limit float32) int

//go:noescape
func collectAVX512(dst *int32, x *float32, n, base int, limit float32) int

//go:noescape
func rotateHalvesAVX512(x, cos, sin *float32, half, heads int)

//go:noescape
func rotatePairsAVX512(x, cos, sin *float32, half, heads int)

//go:noescape
func rowSizeAVX512(x *float32, n int) (squares, largest float32)

//go:noescape
func roundRowAVX512(dst *int16, x *float32, n int, a float32)

//go:noescape
func packKeyAVX512(dst *int16, x *float32, n int, a float32)

//go:noescape
func packValueAVX512(dst *int16, x *float32, n int, a float32)

//go:noescape
func dotAVX2(a, b *float32, n int) float32

//go:noescape
func addAVX2(dst, x *float32, n int)

//go:noescape
func axpyAVX2(dst, x *float32, n int, a float32)

//go:noescape
func mulAVX2(dst, x *float32, n int, a float32)

//go:noescape
func shiftMulAVX2(dst, x *float32, n int, shift, a float32)

//go:noescape
func mulScaledAVX2(dst, x, w *float32, n int, a float32)

//go:noescape
func swiGLUAVX2(dst, gate, up *float32, n int)

//go:noescape
func geGLUAVX2(dst, gate, up *float32, n int)

//go:noescape
func expSumAVX2(dst, x *float32, n int, offset float32) float32

//go:noescape
func maxAVX2(x *float32, n int) float32

//go:noescape
func scanAVX2(x *float32, n int, limit float32) int

//go:noescape
func collectAVX2(dst *int32, x *float32, n, base int, limit float32) int

//go:noescape
func rotateHalvesAVX2(x, cos, sin *float32, half, heads int)

//go:noescape
func rotatePairsAVX2(x, cos, sin *float32, half, heads int)

//go:noescape
func rowSizeAVX2(x *float32, n int) (squares, largest float32)

//go:noescape
func roundRowAVX2(dst *int16, x *float32, n int, a float32)

//go:noescape
func packKeyAVX2(dst *int16, x *float32, n int, a float32)

//go:noescape
func packValueAVX2(dst *int16, x *float32, n int, a float32)
