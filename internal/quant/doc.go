// Package quant knows the number formats in which GGUF files store weights: their
// names, their sizes, and how to decode and encode them, slowly and obviously.
//
// # The idea
//
// A quantised row is a run of blocks. A block holds 32 or 256 values as small
// integers with one or more scales; its layout is that of ggml (ggml-common.h),
// little endian whatever the machine.
//
// # The mathematics
//
// A value is d·q, or d·q + m in the formats with a minimum, where q is an integer of
// 4 to 8 bits. In blocks of 256 the scales of each 16 or 32 values are themselves
// integers of 4 to 8 bits under one scale of the block (the "K" formats). Encoding
// takes d = max |x| / largest q in its simplest form, which bounds the error of a
// value by d/2; better encoders look for the d and m with the least squared error.
//
//	Q4_0   18 bytes for 32 values   4.5 bits each
//	Q8_0   34 bytes for 32 values   8.5
//	Q4_K  144 bytes for 256         4.5, with scales and minima per 32
//	Q6_K  210 bytes for 256         6.6
//
// # What it trades away
//
// The functions here are the reference that fast kernels are tested against, so
// they do one value after another. They allocate nothing and may be called from any
// goroutine.
//
// # Common mistakes
//
//   - Reading nibbles in order: the first half of a 4-bit block is in the low
//     nibbles, the second in the high ones.
//   - Taking a block's scale for float32: it is half precision.
package quant
