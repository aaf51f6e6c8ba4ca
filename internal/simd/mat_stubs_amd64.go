//go:build !purego

package simd

// The assembly of the matrix products. It counts the calls' products down: count is zero afterwards.

//go:noescape
func matQ8AVX512(c *matCall)

//go:noescape
func matQ4AVX512(c *matCall)

//go:noescape
func matQ4MinAVX512(c *matCall)

//go:noescape
func matQ5AVX512(c *matCall)

//go:noescape
func matQ5MinAVX512(c *matCall)

//go:noescape
func matQ4KAVX512(c *matCall)

//go:noescape
func matQ5KAVX512(c *matCall)

//go:noescape
func matQ6KAVX512(c *matCall)

//go:noescape
func matF32AVX512(c *matCall)

//go:noescape
func matF16AVX512(c *matCall)

//go:noescape
func matBF16AVX512(c *matCall)

//go:noescape
func matQ8AVX2(c *matCall)

//go:noescape
func matQ4AVX2(c *matCall)

//go:noescape
func matQ4MinAVX2(c *matCall)

//go:noescape
func matQ5AVX2(c *matCall)

//go:noescape
func matQ5MinAVX2(c *matCall)

//go:noescape
func matQ4KAVX2(c *matCall)

//go:noescape
func matQ5KAVX2(c *matCall)

//go:noescape
func matQ6KAVX2(c *matCall)

//go:noescape
func matF32AVX2(c *matCall)

//go:noescape
func matF16AVX2(c *matCall)

//go:noescape
func matBF16AVX2(c *matCall)

//go:noescape
func matWideAVX512(c *matCall)

//go:noescape
func matWideMinAVX512(c *matCall)

//go:noescape
func matWideHalfAVX512(c *matCall)

//go:noescape
func matExpandQ4AVX512(dst, w *byte, units, ahead int)

//go:noescape
func matExpandQ4MinAVX512(dst, w *byte, units, ahead int)

//go:noescape
func matExpandQ5AVX512(dst, w *byte, units, ahead int)

//go:noescape
func matExpandQ5MinAVX512(dst, w *byte, units, ahead int)

//go:noescape
func matExpandQ4KAVX512(dst, w *byte, units, ahead int)

//go:noescape
func matExpandQ5KAVX512(dst, w *byte, units, ahead int)

//go:noescape
func matExpandQ6KAVX512(dst, w *byte, units, ahead int)

//go:noescape
func matQ8AVXVNNI(c *matCall)

//go:noescape
func matQ4AVXVNNI(c *matCall)

//go:noescape
func matQ4MinAVXVNNI(c *matCall)

//go:noescape
func matQ5AVXVNNI(c *matCall)

//go:noescape
func matQ5MinAVXVNNI(c *matCall)

//go:noescape
func matQ4KAVXVNNI(c *matCall)

//go:noescape
func matQ5KAVXVNNI(c *matCall)

//go:noescape
func matQ6KAVXVNNI(c *matCall)
