package kvcache

import (
	"fmt"
	"strings"
)

// Format is how the numbers of a row are stored.
type Format uint8

const (
	I16 Format = iota // 16-bit integers, with one float32 scale per row and head
	F32               // for reference runs
	Q8                // 8-bit integers, with one float32 scale per row and head
)

var formatNames = [...]string{I16: "i16", F32: "f32", Q8: "q8"}

// String returns the name of the format, as flags and reports spell it.
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// MarshalText returns the name of the format.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads a name. The error says which there are.
func (f *Format) UnmarshalText(name []byte) error {
	for i, n := range formatNames {
		if n == string(name) {
			*f = Format(i)
			return nil
		}
	}
	return fmt.Errorf("kvcache: no row format %q: want one of %s", name, strings.Join(formatNames[:], ", "))
}

// rowBytes is what a row of n numbers takes.
func (f Format) rowBytes(n int) int {
	switch f {
	case F32:
		return 4 * n
	case Q8:
		return n + 4
	default:
		return 2*n + 4
	}
}
