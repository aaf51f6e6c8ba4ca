package mmap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// release drops the whole pages of b, which is part of a mapping.
func release(b []byte) {
	page := os.Getpagesize()
	past := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % uintptr(page))
	lo, hi := (page-past)%page, (past+len(b))/page*page-past
	if lo < hi {
		_ = unix.Madvise(b[lo:hi], unix.MADV_DONTNEED) // advice: refusing it costs memory only
	}
}
