package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
)

// KV is one metadata pair. Value is of a type that Get returns: uint8 to int64, float32, float64, bool, string,
// or a slice of one of these. A plain int is not among them, for its width in the file would be a guess.
type KV struct {
	Key   string
	Value any
}

// Write writes a GGUF file of version 3 that Parse reads back. Tensors are written as they are: the Data of each
// has the bytes that its Type and Shape tell. The alignment is 32, or the uint32 general.alignment of kv. Nothing
// is written where an argument is wrong.
func Write(w io.Writer, kv []KV, tensors []Tensor) error {
	header, align, err := encode(kv, tensors)
	if err != nil {
		return fmt.Errorf("gguf: write: %w", err)
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

// encode makes everything before the data, and finds the alignment by reading it as Parse does.
func encode(kv []KV, tensors []Tensor) (header []byte, align int, err error) {
	b := append([]byte{}, magic...)
	b = le.AppendUint32(b, 3)
	b = le.AppendUint64(b, uint64(len(tensors)))
	b = le.AppendUint64(b, uint64(len(kv)))
	for _, p := range kv {
		b = appendString(b, p.Key)
		if b, err = appendValue(b, p.Value); err != nil {
			return nil, 0, fmt.Errorf("key %s: %w", p.Key, err)
		}
	}
	if align, err = alignmentOf(b, kv); err != nil {
		return nil, 0, err
	}
	offset := 0
	for _, t := range tensors {
		b = appendTensor(b, t, offset)
		offset += len(t.Data) + padding(len(t.Data), align)
	}
	return b, align, checkHeader(b, tensors)
}

// alignmentOf reads the pairs back, which checks them, and returns the alignment that they ask for.
func alignmentOf(header []byte, kv []KV) (int, error) {
	p := parser{reader: reader{data: header, pos: headerBytes}, file: &File{}}
	if err := p.metadata(uint64(len(kv))); err != nil {
		return 0, err
	}
	align, err := p.alignment()
	return int(align), err
}

// checkHeader reads a whole header back and compares the sizes it tells with those of the data.
func checkHeader(header []byte, tensors []Tensor) error {
	p := parser{reader: reader{data: header}, file: &File{}}
	n, pairs, err := p.header()
	if err == nil {
		err = p.metadata(pairs)
	}
	if err == nil {
		err = p.directory(n)
	}
	if err != nil {
		return err
	}
	for i := range p.file.Tensors {
		t, have := &p.file.Tensors[i], len(tensors[i].Data)
		if size, ok := byteSize(t); !ok || size != uint64(have) {
			return fmt.Errorf("tensor %s: %d bytes, where %v of %v takes %d", t.Name, have, t.Shape, t.Type, size)
		}
	}
	return nil
}

func appendTensor(b []byte, t Tensor, offset int) []byte {
	b = appendString(b, t.Name)
	b = le.AppendUint32(b, uint32(len(t.Shape)))
	for _, d := range t.Shape {
		b = le.AppendUint64(b, uint64(d))
	}
	b = le.AppendUint32(b, uint32(t.Type))
	return le.AppendUint64(b, uint64(offset))
}

// appendValue writes the number of the type and the value.
func appendValue(b []byte, x any) ([]byte, error) {
	if k, ok := kindOf(x); ok {
		return appendElement(le.AppendUint32(b, uint32(k)), x), nil
	}
	switch x := x.(type) {
	case []uint8:
		return appendArray(b, x), nil
	case []int8:
		return appendArray(b, x), nil
	case []uint16:
		return appendArray(b, x), nil
	case []int16:
		return appendArray(b, x), nil
	case []uint32:
		return appendArray(b, x), nil
	case []int32:
		return appendArray(b, x), nil
	case []uint64:
		return appendArray(b, x), nil
	case []int64:
		return appendArray(b, x), nil
	case []float32:
		return appendArray(b, x), nil
	case []float64:
		return appendArray(b, x), nil
	case []bool:
		return appendArray(b, x), nil
	case []string:
		return appendArray(b, x), nil
	}
	return nil, fmt.Errorf("a value of type %T cannot be written", x)
}

func appendArray[T any](b []byte, all []T) []byte {
	var zero T
	k, _ := kindOf(zero)
	b = le.AppendUint32(b, uint32(kindArray))
	b = le.AppendUint32(b, uint32(k))
	b = le.AppendUint64(b, uint64(len(all)))
	for _, x := range all {
		b = appendElement(b, x)
	}
	return b
}

// kindOf is the GGUF type of a Go value that is no slice.
func kindOf(x any) (k kind, ok bool) {
	switch x.(type) {
	case uint8:
		return kindUint8, true
	case int8:
		return kindInt8, true
	case uint16:
		return kindUint16, true
	case int16:
		return kindInt16, true
	case uint32:
		return kindUint32, true
	case int32:
		return kindInt32, true
	case uint64:
		return kindUint64, true
	case int64:
		return kindInt64, true
	case float32:
		return kindFloat32, true
	case float64:
		return kindFloat64, true
	case bool:
		return kindBool, true
	case string:
		return kindString, true
	}
	return 0, false
}

func appendString(b []byte, s string) []byte {
	return append(le.AppendUint64(b, uint64(len(s))), s...)
}

func appendElement(b []byte, x any) []byte {
	if s, ok := x.(string); ok {
		return appendString(b, s)
	}
	b, err := binary.Append(b, le, x)
	if err != nil {
		panic("gguf: " + err.Error()) // kindOf lets only fixed sizes through
	}
	return b
}
