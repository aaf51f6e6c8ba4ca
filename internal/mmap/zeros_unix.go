//go:build unix

package mmap

import (
	"os"

	"golang.org/x/sys/unix"
)

func zeros(n int) (b []byte, free func(), err error) {
	b, err = unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	inHugePages(b)
	return b, func() { _ = unix.Munmap(b) }, nil // it fails for what is no mapping
}
