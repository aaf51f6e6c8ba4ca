package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
)

// KV is one metadata pair. Value is of a type that Get returns: uint8 to int64, float32, float64, bool, string,
// or a slice of one of these. A plain int is not among them, for its width in the file would be a guess.
type KV struct {
	Key   string
	Value any
}

// Write writes a GGUF file of version 3 that Parse reads back. Tensors are written as they are: the Data of each
// has the bytes that its Type and Shape tell. The alignment is 32, or the general.alignment of kv. Where an argument
// is wrong nothing is written, and the error is a *FormatError.
func Write(w io.Writer, kv []KV, tensors []Tensor) error {
	header, align, err := encode(newFile(""), kv, tensors)
	if err != nil {
		return err
	}
	if err := writePadded(w, header, align); err != nil {
		return fmt.Errorf("gguf: write: %w", err)
	}
	for _, t := range tensors {
		if err := writePadded(w, t.Data, align); err != nil {
			return fmt.Errorf("gguf: write tensor %s: %w", t.Name, err)
		}
	}
	return nil
}

func writePadded(w io.Writer, b []byte, align int) error {
	if _, err := w.Write(b); err != nil {
		return err
	}
	_, err := w.Write(make([]byte, padding(len(b), align)))
	return err
}

// padding is the number of bytes from n to the next multiple of align.
func padding(n, align int) int { return (align - n%align) % align }

// New makes a File of what files of another kind hold, which path names: the metadata and tensors that a GGUF file of
// the same model would have. The data of tensors are not copied, and are given back to owner. Where an argument is
// wrong the error is a *FormatError, and owner is left open.
func New(path string, kv []KV, tensors []Tensor, owner Owner) (*File, error) {
	f := newFile(path)
	if _, _, err := encode(f, kv, tensors); err != nil {
		return nil, err
	}
	for i := range tensors {
		f.Tensors[i].Data = tensors[i].Data
	}
	f.owner = owner
	return f, nil
}

// encode makes everything before the data. A parser reads along to f: it knows what is wrong, and the alignment.
func encode(f *File, kv []KV, tensors []Tensor) (header []byte, align int, err error) {
	b := append([]byte{}, magic...)
	b = le.AppendUint32(b, 3)
	b = le.AppendUint64(b, uint64(len(tensors)))
	b = le.AppendUint64(b, uint64(len(kv)))
	for _, p := range kv {
		b = appendString(b, p.Key)
		if b, err = appendValue(b, p.Value); err != nil {
			return nil, 0, f.errorf(p.Key, "%v", err)
		}
	}
	p := parser{reader: reader{data: b, pos: headerBytes}, file: f}
	if err := p.metadata(uint64(len(kv))); err != nil {
		return nil, 0, err
	}
	a, err := p.alignment()
	if err != nil {
		return nil, 0, err
	}
	p.data = appendDirectory(b, tensors, int(a))
	if err := p.directory(uint64(len(tensors))); err != nil {
		return nil, 0, err
	}
	return p.data, int(a), p.checkSizes(tensors)
}

// checkSizes compares what the directory tells with the data that are to be written.
func (p *parser) checkSizes(tensors []Tensor) error {
	for i := range p.file.Tensors {
		t, have := &p.file.Tensors[i], len(tensors[i].Data)
		if size, ok := byteSize(t); !ok || size != uint64(have) {
			return p.file.errorf("tensor "+t.Name, "%d bytes, where %v of %v takes %d", have, t.Shape, t.Type, size)
		}
	}
	return nil
}

func appendDirectory(b []byte, tensors []Tensor, align int) []byte {
	offset := 0
	for _, t := range tensors {
		b = appendString(b, t.Name)
		b = le.AppendUint32(b, uint32(len(t.Shape)))
		for _, d := range t.Shape {
			b = le.AppendUint64(b, uint64(d))
		}
		b = le.AppendUint32(b, uint32(t.Type))
		b = le.AppendUint64(b, uint64(offset))
		offset += len(t.Data) + padding(len(t.Data), align)
	}
	return b
}

// kindOf is the GGUF type of the Go types that Get returns for single values.
var kindOf = map[reflect.Type]kind{
	reflect.TypeFor[uint8]():   kindUint8,
	reflect.TypeFor[int8]():    kindInt8,
	reflect.TypeFor[uint16]():  kindUint16,
	reflect.TypeFor[int16]():   kindInt16,
	reflect.TypeFor[uint32]():  kindUint32,
	reflect.TypeFor[int32]():   kindInt32,
	reflect.TypeFor[uint64]():  kindUint64,
	reflect.TypeFor[int64]():   kindInt64,
	reflect.TypeFor[float32](): kindFloat32,
	reflect.TypeFor[float64](): kindFloat64,
	reflect.TypeFor[bool]():    kindBool,
	reflect.TypeFor[string]():  kindString,
}

// appendValue writes the number of the type and the value.
func appendValue(b []byte, x any) ([]byte, error) {
	t := reflect.TypeOf(x)
	if k, ok := kindOf[t]; ok {
		return appendData(le.AppendUint32(b, uint32(k)), x)
	}
	if t == nil || t.Kind() != reflect.Slice {
		return nil, fmt.Errorf("a value of type %T cannot be written", x)
	}
	k, ok := kindOf[t.Elem()]
	if !ok {
		return nil, fmt.Errorf("a value of type %T cannot be written", x)
	}
	b = le.AppendUint32(b, uint32(kindArray))
	b = le.AppendUint32(b, uint32(k))
	b = le.AppendUint64(b, uint64(reflect.ValueOf(x).Len()))
	return appendData(b, x)
}

func appendData(b []byte, x any) ([]byte, error) {
	switch x := x.(type) {
	case string:
		return appendString(b, x), nil
	case []string:
		for _, s := range x {
			b = appendString(b, s)
		}
		return b, nil
	}
	return binary.Append(b, le, x)
}

func appendString(b []byte, s string) []byte {
	return append(le.AppendUint64(b, uint64(len(s))), s...)
}
