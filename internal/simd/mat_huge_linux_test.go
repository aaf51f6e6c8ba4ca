package simd_test

import "syscall"

// hugeBytes returns memory in huge pages, as a model's weights lie in. It is never given back.
func hugeBytes(n int) []byte {
	const huge = 2 << 20
	b, err := syscall.Mmap(-1, 0, n+huge, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return alignedBytes(n)
	}
	_ = syscall.Madvise(b, syscall.MADV_HUGEPAGE)
	return b[:n]
}
