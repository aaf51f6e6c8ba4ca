package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// Write writes a safetensors file that Parse reads back, with the data in the order of the tensors. Metadata may be
// nil. Where a tensor is wrong nothing is written, and the error is a *FormatError.
func Write(w io.Writer, metadata map[string]string, tensors []Tensor) error {
	header, err := encode(metadata, tensors)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return fmt.Errorf("safetensors: write: %w", err)
	}
	for _, t := range tensors {
		if _, err := w.Write(t.Data); err != nil {
			return fmt.Errorf("safetensors: write tensor %s: %w", t.Name, err)
		}
	}
	return nil
}

// encode makes the header with its length, filled with spaces so that the data are aligned to eight bytes.
func encode(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, sizeBytes))
	b.WriteByte('{')
	if metadata != nil {
		writePair(b, metadataKey, metadata)
	}
	end := 0
	for _, t := range tensors {
		begin := end
		end += len(t.Data)
		writePair(b, t.Name, map[string]any{
			"dtype": t.DType, "shape": append([]int{}, t.Shape...), "data_offsets": []int{begin, end},
		})
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	header := b.Bytes()
	binary.LittleEndian.PutUint64(header, uint64(len(header)-sizeBytes))
	return header, check(header[sizeBytes:], tensors, end)
}

// check reads the header back: the parser knows what is wrong.
func check(header []byte, tensors []Tensor, end int) error {
	p := newParser("", uint64(end))
	if err := p.parse(header); err != nil {
		return err
	}
	for _, t := range tensors {
		if _, ok := p.file.index[t.Name]; !ok {
			return &FormatError{Where: "tensor " + t.Name, What: "the name is not valid UTF-8"}
		}
	}
	return nil
}

// writePair adds a key and its value to an object that has been begun.
func writePair(b *bytes.Buffer, key string, value any) {
	if b.Len() > sizeBytes+1 {
		b.WriteByte(',')
	}
	b.Write(marshal(key))
	b.WriteByte(':')
	b.Write(marshal(value))
}

func marshal(x any) []byte {
	b, err := json.Marshal(x)
	if err != nil {
		panic("safetensors: " + err.Error()) // strings, integers and maps of them have no errors
	}
	return b
}
