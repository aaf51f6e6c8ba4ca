// Package quant knows the number formats in which GGUF files store weights: their names, their sizes, and how
// to decode and encode them, slowly and obviously.
//
// A quantised row is a run of blocks. A block holds 32 or 256 values as small integers with one or more scales;
// its layout is that of ggml (ggml-common.h), little endian whatever the machine. The functions here are the
// reference that fast kernels are tested against. They allocate nothing and may be called from any goroutine.
package quant
