package mmap

import "golang.org/x/sys/unix"

// inHugePages asks the system to back b with huge pages: what is read from end to end for every token is read a quarter
// faster where there are few pages to look up.
func inHugePages(b []byte) {
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // advice: without it everything works, slower
}
