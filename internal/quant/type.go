package quant

import "fmt"

// Type is a number format, with ggml's number for it: what GGUF files write beside each tensor.
type Type uint32

// The formats that this package decodes.
const (
	F32  Type = 0  // IEEE single precision
	F16  Type = 1  // IEEE half precision
	Q4_0 Type = 2  // 4 bits, one scale for 32 values
	Q4_1 Type = 3  // 4 bits, scale and minimum for 32 values
	Q5_0 Type = 6  // 5 bits, one scale for 32 values
	Q5_1 Type = 7  // 5 bits, scale and minimum for 32 values
	Q8_0 Type = 8  // 8 bits, one scale for 32 values
	Q4_K Type = 12 // 4 bits, 6-bit scale and minimum for 32 of 256 values
	Q5_K Type = 13 // 5 bits, 6-bit scale and minimum for 32 of 256 values
	Q6_K Type = 14 // 6 bits, 8-bit scale for 16 of 256 values
	BF16 Type = 30 // the upper half of an IEEE single
)

// format is what there is to know about a Type. The functions work on one block, or on any number of values where
// a block is one.
type format struct {
	values int // in a block
	bytes  int // of a block
	decode func(dst []float32, src []byte)
	encode func(dst []byte, src []float32)
}

var formats = [...]format{
	F32:  {1, 4, decodeF32, encodeF32},
	F16:  {1, 2, decodeF16, encodeF16},
	Q4_0: {32, 18, decodeQ4_0, encodeQ4_0},
	Q4_1: {32, 20, decodeQ4_1, encodeQ4_1},
	Q5_0: {32, 22, decodeQ5_0, encodeQ5_0},
	Q5_1: {32, 24, decodeQ5_1, encodeQ5_1},
	Q8_0: {32, 34, decodeQ8_0, encodeQ8_0},
	Q4_K: {256, 144, decodeQ4_K, encodeQ4_K},
	Q5_K: {256, 176, decodeQ5_K, encodeQ5_K},
	Q6_K: {256, 210, decodeQ6_K, encodeQ6_K},
	BF16: {1, 2, decodeBF16, encodeBF16},
}

// names has the formats that files are found with, also those that are not decoded here: an error that says
// Q3_K helps more than one that says 11.
var names = map[Type]string{
	F32: "F32", F16: "F16", BF16: "BF16", 28: "F64",
	Q4_0: "Q4_0", Q4_1: "Q4_1", Q5_0: "Q5_0", Q5_1: "Q5_1", Q8_0: "Q8_0", 9: "Q8_1",
	10: "Q2_K", 11: "Q3_K", Q4_K: "Q4_K", Q5_K: "Q5_K", Q6_K: "Q6_K", 15: "Q8_K",
	16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S",
	23: "IQ4_XS", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4",
	24: "I8", 25: "I16", 26: "I32", 27: "I64",
}

// String is ggml's name of the format, such as "Q4_K", or "type 99" for a number without one.
func (t Type) String() string {
	if s, ok := names[t]; ok {
		return s
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// Known reports whether this package decodes the format. The methods below panic where it is false.
func (t Type) Known() bool {
	return int64(t) < int64(len(formats)) && formats[t].values > 0
}

// BlockSize is the number of values in a block; the length of a row is a multiple of it.
func (t Type) BlockSize() int { return t.format().values }

// BlockBytes is the number of bytes that a block takes.
func (t Type) BlockBytes() int { return t.format().bytes }

// RowBytes is the number of bytes that n values take. It panics where n is not a whole number of blocks.
func (t Type) RowBytes(n int) int {
	f := t.format()
	if n < 0 || n%f.values != 0 {
		panic(fmt.Sprintf("quant: %d values are not whole blocks of %v", n, t))
	}
	return n / f.values * f.bytes
}

func (t Type) format() *format {
	if !t.Known() {
		panic(fmt.Sprintf("quant: %v is not decoded", t))
	}
	return &formats[t]
}
