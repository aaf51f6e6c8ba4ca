package mmap

import "unsafe"

const (
	hugePage  = 2 << 20
	lineBytes = 64 // of a cache
)

// Zeros returns n bytes of zeros, which begin at a multiple of 64, and free, which gives them back: they must not be used
// after it. What is as large as a huge page comes from the system rather than from Go's heap, where its size would let as
// much garbage grow beside it and would count against GOMEMLIMIT before any of it is used. It takes memory when it is
// first written, in huge pages where there are some. An error says that the system refuses so much.
func Zeros(n int) (b []byte, free func(), err error) {
	if n >= hugePage {
		return zeros(n)
	}
	b, free = heap(n)
	return b, free, nil
}

// heap is zeros from Go's heap.
func heap(n int) (b []byte, free func()) {
	b = make([]byte, n+lineBytes)
	skip := -uintptr(unsafe.Pointer(&b[0])) % lineBytes
	return b[skip:][:n:n], func() {}
}
