package quant

import "encoding/binary"

// Blocks of 32 values. Byte j of the 16 that hold the low four bits has value j in its lower half and value
// j+16 in its upper; the fifth bits, where there are any, are bit j of a 32-bit word.

// decodeQ4_0: scale, 16 bytes of nibbles; value = scale * (q-8).
func decodeQ4_0(dst []float32, src []byte) {
	d := half(src)
	for j, b := range src[2:18] {
		dst[j] = d * float32(int(b&15)-8)
		dst[j+16] = d * float32(int(b>>4)-8)
	}
}

// decodeQ4_1: scale, minimum, 16 bytes of nibbles; value = scale*q + minimum.
func decodeQ4_1(dst []float32, src []byte) {
	d, m := half(src), half(src[2:])
	for j, b := range src[4:20] {
		dst[j] = float32(d*float32(b&15)) + m
		dst[j+16] = float32(d*float32(b>>4)) + m
	}
}

// decodeQ5_0: scale, 32 fifth bits, 16 bytes of nibbles; value = scale * (q-16).
func decodeQ5_0(dst []float32, src []byte) {
	d, high := half(src), binary.LittleEndian.Uint32(src[2:])
	for j, b := range src[6:22] {
		dst[j] = d * float32(int(b&15|fifth(high, j))-16)
		dst[j+16] = d * float32(int(b>>4|fifth(high, j+16))-16)
	}
}

// decodeQ5_1: scale, minimum, 32 fifth bits, 16 bytes of nibbles; value = scale*q + minimum.
func decodeQ5_1(dst []float32, src []byte) {
	d, m, high := half(src), half(src[2:]), binary.LittleEndian.Uint32(src[4:])
	for j, b := range src[8:24] {
		dst[j] = float32(d*float32(b&15|fifth(high, j))) + m
		dst[j+16] = float32(d*float32(b>>4|fifth(high, j+16))) + m
	}
}

// decodeQ8_0: scale, 32 signed bytes; value = scale * q.
func decodeQ8_0(dst []float32, src []byte) {
	d := half(src)
	for j, b := range src[2:34] {
		dst[j] = d * float32(int8(b))
	}
}

// fifth is bit j of high in the place of a fifth bit.
func fifth(high uint32, j int) byte { return byte(high>>j&1) << 4 }
