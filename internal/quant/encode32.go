package quant

import (
	"encoding/binary"
	"math"
)

// The quantisers below follow ggml's quantize_row_*_ref step by step, in float32, so that the bits agree.

func encodeQ4_0(dst []byte, src []float32) {
	d := extreme(src) / -8
	putHalf(dst, d)
	packNibbles(dst[2:18], levels(src, 0, d, 8.5, 15))
}

func encodeQ4_1(dst []byte, src []float32) {
	lo, hi := bounds(src)
	d := (hi - lo) / 15
	putHalf(dst, d)
	putHalf(dst[2:], lo)
	packNibbles(dst[4:20], levels(src, lo, d, 0.5, 15))
}

func encodeQ5_0(dst []byte, src []float32) {
	d := extreme(src) / -16
	putHalf(dst, d)
	q := levels(src, 0, d, 16.5, 31)
	packFifths(dst[2:6], q)
	packNibbles(dst[6:22], q)
}

func encodeQ5_1(dst []byte, src []float32) {
	lo, hi := bounds(src)
	d := (hi - lo) / 31
	putHalf(dst, d)
	putHalf(dst[2:], lo)
	q := levels(src, lo, d, 0.5, 31)
	packFifths(dst[4:8], q)
	packNibbles(dst[8:24], q)
}

func encodeQ8_0(dst []byte, src []float32) {
	var top float32
	for _, x := range src {
		top = max(top, abs(x))
	}
	d := top / 127
	putHalf(dst, d)
	inv := inverse(d)
	for j, x := range src {
		dst[2+j] = byte(int8(math.Round(float64(x * inv))))
	}
}

// levels is (src-lo)/d, moved by shift and cut to an integer of 0 to top.
func levels(src []float32, lo, d, shift float32, top int) (q [32]byte) {
	inv := inverse(d)
	for j, x := range src {
		q[j] = byte(min(max(int(float32((x-lo)*inv)+shift), 0), top))
	}
	return q
}

// packNibbles puts the low four bits of value j and value j+16 in byte j.
func packNibbles(dst []byte, q [32]byte) {
	for j := range dst {
		dst[j] = q[j]&15 | q[j+16]<<4
	}
}

func packFifths(dst []byte, q [32]byte) {
	var high uint32
	for j, v := range q {
		high |= uint32(v>>4&1) << j
	}
	binary.LittleEndian.PutUint32(dst, high)
}

// extreme is the value of the largest magnitude, the first one on ties, with its sign.
func extreme(src []float32) (x float32) {
	for _, v := range src {
		if abs(v) > abs(x) {
			x = v
		}
	}
	return x
}

func bounds(src []float32) (lo, hi float32) {
	lo, hi = src[0], src[0]
	for _, v := range src {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

func inverse(d float32) float32 {
	if d == 0 {
		return 0
	}
	return 1 / d
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
