//go:build !unix

package mmap

func zeros(n int) (b []byte, free func(), err error) {
	b, free = heap(n)
	return b, free, nil
}
