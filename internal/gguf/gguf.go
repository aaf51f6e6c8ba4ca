// Package gguf reads and writes GGUF files: named metadata values, and tensors in the number formats of
// internal/quant.
//
// Model files come from strangers, so the reader believes nothing: every count, length and offset is checked
// against the bytes that are there before memory is taken for it, and every way in which a file can be wrong is a
// *FormatError. Reading a file of n bytes of header takes memory in proportion to n, whatever its counts claim.
//
// Source: the GGUF specification of ggml (docs/gguf.md), versions 2 and 3, little endian.
package gguf

import (
	"fmt"

	"example.com/minillm/internal/mmap"
	"example.com/minillm/internal/quant"
)

// File is a parsed file. It does not change, so any goroutine may read it; Close must come after all of them.
type File struct {
	Version int      // 2 or 3; 0 for New
	Tensors []Tensor // in the order of the file

	path   string
	owner  Owner // of the tensors' data; none for Parse
	keys   []string
	values map[string]value
	index  map[string]int // of Tensors, by name
}

// Tensor is a named array of numbers.
type Tensor struct {
	Name  string
	Type  quant.Type
	Shape []int  // 1 to 4 dimensions in GGUF's order: Shape[0] is the length of a row
	Data  []byte // a view of the file, gone after Close; rows of Type.RowBytes(Shape[0]) bytes
}

// Owner is what the bytes of tensors belong to. Release says that part, which may be of something else, is not needed
// soon; Close may be called more than once.
type Owner interface {
	Release(part []byte)
	Close() error
}

// Rows is the number of rows of Shape[0] values.
func (t Tensor) Rows() int {
	n := 1
	for _, d := range t.Shape[1:] {
		n *= d
	}
	return n
}

// Open maps the file at path and parses its header; tensors are read when their Data is. The error is a
// *FormatError, or the system's, which names the path too.
func Open(path string) (*File, error) {
	m, err := mmap.Open(path)
	if err != nil {
		return nil, fmt.Errorf("gguf: %w", err)
	}
	f, err := parse(path, m.Bytes)
	if err != nil {
		m.Close()
		return nil, err
	}
	f.owner = m
	return f, nil
}

// Parse reads a file that is in memory. Tensors are views of data, which must not change as long as they are used.
func Parse(data []byte) (*File, error) { return parse("", data) }

// Close unmaps the file and leaves it empty, without keys and tensors: a late reader finds nothing instead of
// faulting. Tensors that were copied before must not be touched any more; decoded metadata stays. It may be called
// more than once.
func (f *File) Close() error {
	f.Tensors, f.index, f.keys, f.values = nil, nil, nil, nil
	return f.owner.Close()
}

// Release says that the data of a tensor are not needed soon, so that they need not stay in memory. They can be read
// again.
func (f *File) Release(t Tensor) { f.owner.Release(t.Data) }

// Path is what was given to Open or New.
func (f *File) Path() string { return f.path }

// Tensor finds a tensor by its name.
func (f *File) Tensor(name string) (Tensor, bool) {
	i, ok := f.index[name]
	if !ok {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

func (f *File) errorf(where, format string, args ...any) error {
	return &FormatError{Path: f.path, Where: where, What: fmt.Sprintf(format, args...)}
}
