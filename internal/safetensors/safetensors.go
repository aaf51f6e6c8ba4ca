// Package safetensors reads and writes safetensors files, in which Hugging Face models are published: a JSON header
// that names tensors, and their bytes.
//
// Files come from strangers, so the reader believes nothing: it wants what the reference implementation wants, that
// the tensors cover the data without gaps and overlaps, and on top of that names that are there once only. Every way
// in which a file can be wrong is a *FormatError. Reading a header of n bytes takes memory in proportion to n.
//
// Source: github.com/huggingface/safetensors, README and safetensors/src/tensor.rs.
package safetensors

import (
	"fmt"

	"example.com/minillm/internal/mmap"
	"example.com/minillm/internal/quant"
)

// File is the tensors of one file, or of all files of an index. It does not change, so any goroutine may read it;
// Close must come after all of them.
type File struct {
	Tensors  []Tensor          // in the order of their data
	Metadata map[string]string // free text that the writer left; nil where there is none, and for an index

	index    map[string]int // of Tensors, by name
	mappings []*mmap.File   // none for Parse
}

// Tensor is a named array of numbers.
type Tensor struct {
	Name  string
	DType string // the format's name of the number format, such as "BF16" or "I64"
	Shape []int  // row-major: the last is the length of a row. Empty for a single number; a dimension may be 0
	Data  []byte // little endian, a view of the file, gone after Close. It need not be aligned
}

// Type is the number format in the words of internal/quant; not ok where that decodes none such, as for integers.
func (t Tensor) Type() (typ quant.Type, ok bool) {
	d, ok := dtypes[t.DType]
	return d.typ, ok && d.float
}

// Open maps the file at path and parses its header; tensors are read when their Data is. The error is a
// *FormatError, or the system's, which names the path too.
func Open(path string) (*File, error) {
	m, err := mmap.Open(path)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	f, err := parse(path, m.Bytes)
	if err != nil {
		m.Close()
		return nil, err
	}
	f.mappings = []*mmap.File{m}
	return f, nil
}

// Parse reads a file that is in memory. Tensors are views of data, which must not change as long as they are used.
func Parse(data []byte) (*File, error) { return parse("", data) }

// Tensor finds a tensor by its name.
func (f *File) Tensor(name string) (Tensor, bool) {
	i, ok := f.index[name]
	if !ok {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// Release says that part, the Data of a tensor, is not needed soon, so that it need not stay in memory. It can be read
// again. A part of something else is left alone.
func (f *File) Release(part []byte) {
	for _, m := range f.mappings {
		m.Release(part)
	}
}

// Close unmaps the file and leaves it without tensors: a late reader finds nothing instead of faulting. Tensors that
// were copied before must not be touched any more. It may be called more than once.
func (f *File) Close() (err error) {
	f.Tensors, f.index = nil, nil
	for _, m := range f.mappings {
		if e := m.Close(); err == nil {
			err = e
		}
	}
	f.mappings = nil
	return err
}
