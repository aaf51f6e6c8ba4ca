package transformer

import "golang.org/x/sys/unix"

// reserve takes n bytes of zeros from the system, in huge pages where it has
// them: weights are read from end to end for every token, and the fewer pages
// they lie in, the faster. free gives them back.
func reserve(n int) (b []byte, free func()) {
	if n == 0 {
		return nil, func() {}
	}
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return reserveHeap(n)
	}
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // advice: without it everything works, slower
	return b, func() { _ = unix.Munmap(b) }
}
