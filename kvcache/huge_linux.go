package kvcache

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20

// inHugePages asks the system to back s with huge pages: attention reads a slab
// from end to end for every token, and is a quarter faster where there are few
// pages to look up.
func inHugePages[T any](s []T) []T {
	n := len(s) * int(unsafe.Sizeof(*new(T)))
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), n)
	past := int(uintptr(unsafe.Pointer(unsafe.SliceData(s))) % hugePage)
	lo, hi := (hugePage-past)%hugePage, (past+n)/hugePage*hugePage-past
	if lo < hi {
		_ = unix.Madvise(b[lo:hi], unix.MADV_HUGEPAGE) // advice: without it everything works, slower
	}
	return s
}
