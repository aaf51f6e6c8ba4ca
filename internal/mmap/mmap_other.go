//go:build !unix && !windows

package mmap

import (
	"io"
	"os"
)

func view(f *os.File, size int) (*File, error) {
	b := make([]byte, size)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, err
	}
	return &File{Bytes: b}, nil
}
