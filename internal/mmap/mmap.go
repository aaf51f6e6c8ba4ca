// Package mmap gives memory that Go's collector does not know: read-only views of whole files, mapped on unix and Windows
// and read elsewhere, and large zeroed pieces.
package mmap

import (
	"fmt"
	"math"
	"os"
	"unsafe"
)

// File is the content of a file. Bytes must not be written to, nor used after Close; a mapped file that another
// process truncates meanwhile faults on access, so model files are replaced by renaming, not by rewriting.
type File struct {
	Bytes []byte
	unmap func() error
}

// Open maps the file at path. A mapping costs no memory until its pages are read, and these are shared with
// other processes. Errors name the path.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // a mapping outlives its descriptor
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch size := info.Size(); {
	case !info.Mode().IsRegular():
		return nil, &os.PathError{Op: "open", Path: path, Err: fmt.Errorf("not a regular file (%s)", kind(info.Mode()))}
	case size == 0:
		return &File{}, nil // an empty mapping is an error
	case size > math.MaxInt:
		return nil, &os.PathError{Op: "map", Path: path, Err: fmt.Errorf("%d bytes do not fit this system's address space", size)}
	default:
		m, err := view(f, int(size))
		if err != nil {
			return nil, &os.PathError{Op: "map", Path: path, Err: err}
		}
		return m, nil
	}
}

func kind(m os.FileMode) string {
	if m.IsDir() {
		return "a directory"
	}
	return m.Type().String()
}

// Release says that part of Bytes is not needed soon: it need not stay in memory. Reading it again works, and reads the
// file. A part of something else is left alone.
func (f *File) Release(part []byte) {
	if f != nil && f.unmap != nil && f.holds(part) {
		release(part)
	}
}

// holds reports whether part lies in Bytes.
func (f *File) holds(part []byte) bool {
	first, at := uintptr(unsafe.Pointer(unsafe.SliceData(f.Bytes))), uintptr(unsafe.Pointer(unsafe.SliceData(part)))
	return len(part) <= len(f.Bytes) && at >= first && at-first <= uintptr(len(f.Bytes)-len(part))
}

// Close gives the memory back. It may be called more than once, and on a nil File.
func (f *File) Close() error {
	if f == nil || f.unmap == nil {
		return nil
	}
	unmap := f.unmap
	f.Bytes, f.unmap = nil, nil
	return unmap()
}
