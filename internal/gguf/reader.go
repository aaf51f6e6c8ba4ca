package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

const maxInt = uint64(math.MaxInt)

var le = binary.LittleEndian

// reader walks over the bytes of a header. Every method checks that what it takes is there.
type reader struct {
	data []byte
	pos  int
}

// take is the next n bytes. The check is made in uint64, before any addition: n may be anything.
func (r *reader) take(n uint64) ([]byte, error) {
	if left := uint64(len(r.data) - r.pos); n > left {
		return nil, fmt.Errorf("truncated: %d bytes wanted at byte %d, %d left", n, r.pos, left)
	}
	b := r.data[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return b, nil
}

func (r *reader) u32() (uint32, error) {
	b, err := r.take(4)
	if err != nil {
		return 0, err
	}
	return le.Uint32(b), nil
}

func (r *reader) u64() (uint64, error) {
	b, err := r.take(8)
	if err != nil {
		return 0, err
	}
	return le.Uint64(b), nil
}

// text is the bytes of a length-prefixed string.
func (r *reader) text() ([]byte, error) {
	n, err := r.u64()
	if err != nil {
		return nil, err
	}
	return r.take(n)
}

// name is a key or the name of a tensor.
func (r *reader) name() (string, error) {
	b, err := r.text()
	switch {
	case err != nil:
		return "", err
	case len(b) == 0 || len(b) > maxName:
		return "", fmt.Errorf("a name of %d bytes, not 1 to %d", len(b), maxName)
	}
	return string(b), nil
}

// value reads a metadata value: it finds where it ends, and decodes nothing. Whoever looks at v.raw later need not
// check again.
func (r *reader) value() (v value, err error) {
	v.n = 1
	if v.kind, err = r.kind(); err == nil && v.kind == kindArray {
		err = r.arrayHead(&v)
	}
	if err != nil {
		return v, err
	}
	start := r.pos
	if v.kind == kindString && !v.array {
		_, err = r.text()
	} else {
		err = r.skip(v.kind, v.n)
	}
	v.raw = r.data[start:r.pos]
	return v, err
}

// arrayHead reads the type and the number of an array's elements.
func (r *reader) arrayHead(v *value) (err error) {
	v.array = true
	if v.kind, err = r.kind(); err != nil {
		return err
	}
	if v.kind == kindArray {
		return errors.New("arrays of arrays are not supported")
	}
	v.n, err = r.u64()
	return err
}

func (r *reader) kind() (kind, error) {
	k, err := r.u32()
	if err == nil && k >= uint32(len(kinds)) {
		err = fmt.Errorf("value type %d is not known", k)
	}
	return kind(k), err
}

// skip walks over n values of one kind.
func (r *reader) skip(k kind, n uint64) error {
	if k == kindString {
		return r.skipStrings(n)
	}
	size, left := kinds[k].size, uint64(len(r.data)-r.pos)
	if n > left/size {
		return fmt.Errorf("truncated: %d values of type %v wanted at byte %d, %d bytes left", n, k, r.pos, left)
	}
	r.pos += int(n * size)
	return nil
}

func (r *reader) skipStrings(n uint64) error {
	for i := range n {
		if _, err := r.text(); err != nil {
			return fmt.Errorf("string %d of %d: %w", i+1, n, err)
		}
	}
	return nil
}
