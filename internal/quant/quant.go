package quant

import "fmt"

// Dequantize decodes len(dst) values of format t from src, which has exactly their bytes. The products are
// rounded before they are added, so that every platform gives the same bits.
func Dequantize(dst []float32, t Type, src []byte) {
	f := t.format()
	checkLengths(t, len(dst), len(src))
	if f.values == 1 {
		f.decode(dst, src)
		return
	}
	for len(dst) > 0 {
		f.decode(dst[:f.values:f.values], src[:f.bytes:f.bytes])
		dst, src = dst[f.values:], src[f.bytes:]
	}
}

// Quantize encodes the values of src, which should be finite, in format t to dst, which has exactly their bytes.
// The formats of 1 and 32 values give the bits of ggml's reference quantisers; those of 256 search for scales of
// small squared error, without ggml's weights. It is meant for tests and tools: it is slow.
func Quantize(dst []byte, t Type, src []float32) {
	f := t.format()
	checkLengths(t, len(src), len(dst))
	if f.values == 1 {
		f.encode(dst, src)
		return
	}
	for len(src) > 0 {
		f.encode(dst[:f.bytes:f.bytes], src[:f.values:f.values])
		dst, src = dst[f.bytes:], src[f.values:]
	}
}

func checkLengths(t Type, values, bytes int) {
	if want := t.RowBytes(values); bytes != want {
		panic(fmt.Sprintf("quant: %d values of %v take %d bytes, not %d", values, t, want, bytes))
	}
}
