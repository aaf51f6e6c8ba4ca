//go:build unix

package mmap

import (
	"os"

	"golang.org/x/sys/unix"
)

func view(f *os.File, size int) (*File, error) {
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &File{Bytes: b, unmap: func() error { return unix.Munmap(b) }}, nil
}
