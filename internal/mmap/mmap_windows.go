package mmap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

func view(f *os.File, size int) (*File, error) {
	m, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer windows.CloseHandle(m) // the view keeps the mapping
	addr, err := windows.MapViewOfFile(m, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, os.NewSyscallError("MapViewOfFile", err)
	}
	// The address is not Go's; reading it through a pointer to the variable keeps vet's rule about uintptr.
	b := unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), size)
	return &File{Bytes: b, unmap: func() error { return windows.UnmapViewOfFile(addr) }}, nil
}
