package gguf

import (
	"math"
	"strings"
)

// kind is GGUF's number for the type of a metadata value.
type kind uint32

const (
	kindUint8 kind = iota
	kindInt8
	kindUint16
	kindInt16
	kindUint32
	kindInt32
	kindFloat32
	kindBool
	kindString
	kindArray
	kindUint64
	kindInt64
	kindFloat64
)

var kinds = [...]struct {
	name string
	size uint64 // bytes; 0 where they vary
}{
	kindUint8: {"uint8", 1}, kindInt8: {"int8", 1}, kindUint16: {"uint16", 2}, kindInt16: {"int16", 2},
	kindUint32: {"uint32", 4}, kindInt32: {"int32", 4}, kindFloat32: {"float32", 4}, kindBool: {"bool", 1},
	kindString: {"string", 0}, kindArray: {"array", 0},
	kindUint64: {"uint64", 8}, kindInt64: {"int64", 8}, kindFloat64: {"float64", 8},
}

func (k kind) String() string { return kinds[k].name }

// value is a metadata value as it lies in the file, checked to be whole. Vocabularies have hundreds of thousands
// of elements, so nothing is decoded before it is asked for.
type value struct {
	kind  kind // of the value, or of an array's elements
	array bool
	n     uint64 // elements; 1 for no array
	raw   []byte
}

// typeName describes the value in errors.
func (v value) typeName() string {
	if v.array {
		return "an array of " + v.kind.String()
	}
	return v.kind.String()
}

// bits64 is element i of an integer kind, sign-extended.
func (v value) bits64(i int) uint64 {
	switch v.kind {
	case kindUint8, kindBool:
		return uint64(v.raw[i])
	case kindInt8:
		return uint64(int8(v.raw[i]))
	case kindUint16:
		return uint64(le.Uint16(v.raw[2*i:]))
	case kindInt16:
		return uint64(int16(le.Uint16(v.raw[2*i:])))
	case kindUint32:
		return uint64(le.Uint32(v.raw[4*i:]))
	case kindInt32:
		return uint64(int32(le.Uint32(v.raw[4*i:])))
	}
	return le.Uint64(v.raw[8*i:])
}

func (v value) signed() bool {
	return v.kind == kindInt8 || v.kind == kindInt16 || v.kind == kindInt32 || v.kind == kindInt64
}

func (v value) integer() bool {
	return v.kind <= kindInt32 || v.kind == kindUint64 || v.kind == kindInt64
}

func (v value) float() bool { return v.kind == kindFloat32 || v.kind == kindFloat64 }

// float64 is element i of a float kind.
func (v value) float64(i int) float64 {
	if v.kind == kindFloat32 {
		return float64(math.Float32frombits(le.Uint32(v.raw[4*i:])))
	}
	return math.Float64frombits(le.Uint64(v.raw[8*i:]))
}

// strings cuts all elements out of one copy of the bytes: two allocations for a whole vocabulary.
func (v value) strings() []string {
	all := make([]string, v.n)
	var text strings.Builder
	text.Grow(len(v.raw) - 8*len(all))
	for raw := v.raw; len(raw) > 0; {
		n := le.Uint64(raw)
		text.Write(raw[8 : 8+n])
		raw = raw[8+n:]
	}
	s, raw := text.String(), v.raw
	for i := range all {
		n := le.Uint64(raw)
		all[i], s, raw = s[:n], s[n:], raw[8+n:]
	}
	return all
}
