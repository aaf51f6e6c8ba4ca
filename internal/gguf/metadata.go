package gguf

import (
	"math"
	"slices"
)

// Keys are the metadata keys in the order of the file.
func (f *File) Keys() []string { return slices.Clone(f.keys) }

// Uint is the value of any integer type that is not negative. Like all typed getters it returns found false where
// there is no such key, and a *FormatError that names the key where its value is of another type.
func (f *File) Uint(key string) (n uint64, found bool, err error) {
	v, found := f.values[key]
	if !found {
		return 0, false, nil
	}
	if v.array || !v.integer() {
		return 0, true, f.mistyped(key, v, "an integer")
	}
	if n = v.bits64(0); v.signed() && int64(n) < 0 {
		return 0, true, f.errorf(key, "%d is negative", int64(n))
	}
	return n, true, nil
}

// Float is the value of any floating-point type.
func (f *File) Float(key string) (x float64, found bool, err error) {
	v, found := f.values[key]
	if !found {
		return 0, false, nil
	}
	if v.array || !v.float() {
		return 0, true, f.mistyped(key, v, "a float")
	}
	return v.float64(0), true, nil
}

// Bool is a bool.
func (f *File) Bool(key string) (b, found bool, err error) {
	v, found := f.values[key]
	if !found {
		return false, false, nil
	}
	if v.array || v.kind != kindBool {
		return false, true, f.mistyped(key, v, "a bool")
	}
	if v.raw[0] > 1 {
		return false, true, f.errorf(key, "%d is neither false nor true", v.raw[0])
	}
	return v.raw[0] == 1, true, nil
}

// String is a string; GGUF wants UTF-8, which is not checked.
func (f *File) String(key string) (s string, found bool, err error) {
	v, found := f.values[key]
	if !found {
		return "", false, nil
	}
	if v.array || v.kind != kindString {
		return "", true, f.mistyped(key, v, "a string")
	}
	return string(v.raw[8:]), true, nil
}

// Strings is an array of strings, decoded anew by every call.
func (f *File) Strings(key string) (s []string, found bool, err error) {
	v, found := f.values[key]
	if !found {
		return nil, false, nil
	}
	if !v.array || v.kind != kindString {
		return nil, true, f.mistyped(key, v, "an array of strings")
	}
	return v.strings(), true, nil
}

// Floats is an array of any floating-point type, decoded anew by every call.
func (f *File) Floats(key string) (x []float32, found bool, err error) {
	v, found := f.values[key]
	if !found {
		return nil, false, nil
	}
	if !v.array || !v.float() {
		return nil, true, f.mistyped(key, v, "an array of floats")
	}
	return v.floats(), true, nil
}

// Ints is an array of any integer type, decoded anew by every call.
func (f *File) Ints(key string) (n []int, found bool, err error) {
	v, found := f.values[key]
	if !found {
		return nil, false, nil
	}
	if !v.array || !v.integer() {
		return nil, true, f.mistyped(key, v, "an array of integers")
	}
	n = make([]int, v.n)
	for i := range n {
		b := v.bits64(i)
		if n[i] = int(b); !v.fits(b) {
			return nil, true, f.errorf(key, "element %d is out of range", i)
		}
	}
	return n, true, nil
}

func (v value) floats() []float32 {
	x := make([]float32, v.n)
	for i := range x {
		x[i] = float32(v.float64(i))
	}
	return x
}

// fits reports whether an element of these bits is an int.
func (v value) fits(b uint64) bool {
	if v.signed() {
		return int64(b) >= math.MinInt && int64(b) <= math.MaxInt
	}
	return b <= maxInt
}

func (f *File) mistyped(key string, v value, want string) error {
	return f.errorf(key, "the value is %s, not %s", v.typeName(), want)
}
