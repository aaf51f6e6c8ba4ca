package mmap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// release drops the whole pages of b, which is part of a mapping.
func release(b []byte) {
	page := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	lo := (start+page-1)/page*page - start
	hi := (start+uintptr(len(b)))/page*page - start
	if lo < hi {
		_ = unix.Madvise(b[lo:hi], unix.MADV_DONTNEED) // advice: refusing it costs memory only
	}
}
