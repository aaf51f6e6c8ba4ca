package gguf

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// metadata returns a file of these pairs.
func metadata(t *testing.T, kv ...KV) *File {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, kv, nil); err != nil {
		t.Fatal(err)
	}
	f, err := Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestUint(t *testing.T) {
	for _, v := range []any{uint8(7), int8(7), uint16(7), int16(7), uint32(7), int32(7), uint64(7), int64(7)} {
		if n, found, err := metadata(t, KV{"k", v}).Uint("k"); n != 7 || !found || err != nil {
			t.Errorf("%T: %d, %v, %v", v, n, found, err)
		}
	}
	if n, _, err := metadata(t, KV{"k", uint64(math.MaxUint64)}).Uint("k"); n != math.MaxUint64 || err != nil {
		t.Errorf("the largest: %d, %v", n, err)
	}
	for _, v := range []any{int8(-1), int16(-1), int32(-1), int64(-1)} {
		_, found, err := metadata(t, KV{"k", v}).Uint("k")
		wantError(t, found, err, "-1 is negative")
	}
}

func TestFloat(t *testing.T) {
	for _, v := range []any{float32(0.5), 0.5} {
		if x, found, err := metadata(t, KV{"k", v}).Float("k"); x != 0.5 || !found || err != nil {
			t.Errorf("%T: %v, %v, %v", v, x, found, err)
		}
	}
}

func TestBool(t *testing.T) {
	for _, want := range []bool{false, true} {
		if b, found, err := metadata(t, KV{"k", want}).Bool("k"); b != want || !found || err != nil {
			t.Errorf("%v: %v, %v, %v", want, b, found, err)
		}
	}
	f, err := Parse(header(0, 1).pair("k", kindBool).u8(2))
	if err != nil {
		t.Fatal(err)
	}
	_, found, err := f.Bool("k")
	wantError(t, found, err, "2 is neither false nor true")
}

func TestArrays(t *testing.T) {
	for _, v := range []any{[]uint8{1, 2}, []int8{1, 2}, []uint16{1, 2}, []int16{1, 2}, []uint32{1, 2}, []int32{1, 2}, []uint64{1, 2}, []int64{1, 2}} {
		if n, found, err := metadata(t, KV{"k", v}).Ints("k"); !slices.Equal(n, []int{1, 2}) || !found || err != nil {
			t.Errorf("%T: %v, %v, %v", v, n, found, err)
		}
	}
	if n, _, err := metadata(t, KV{"k", []int64{math.MinInt, -1}}).Ints("k"); !slices.Equal(n, []int{math.MinInt, -1}) || err != nil {
		t.Errorf("%v, %v", n, err)
	}
	_, found, err := metadata(t, KV{"k", []uint64{1, math.MaxUint64}}).Ints("k")
	wantError(t, found, err, "element 1 is out of range")
	for _, v := range []any{[]float32{0.5, -1}, []float64{0.5, -1}} {
		if x, found, err := metadata(t, KV{"k", v}).Floats("k"); !slices.Equal(x, []float32{0.5, -1}) || !found || err != nil {
			t.Errorf("%T: %v, %v, %v", v, x, found, err)
		}
	}
	words := []string{"", "a", "日本", strings.Repeat("x", 1000), ""}
	if s, found, err := metadata(t, KV{"k", words}).Strings("k"); !slices.Equal(s, words) || !found || err != nil {
		t.Errorf("%q, %v, %v", s, found, err)
	}
	if s, found, err := metadata(t, KV{"k", []string{}}).Strings("k"); len(s) != 0 || !found || err != nil {
		t.Errorf("no strings: %q, %v, %v", s, found, err)
	}
}

// TestGetters asks every getter for a key that is absent and for values of all other types.
func TestGetters(t *testing.T) {
	getters := map[string]func(*File) (bool, error){
		"an integer":           func(f *File) (bool, error) { _, ok, err := f.Uint("x.k"); return ok, err },
		"a float":              func(f *File) (bool, error) { _, ok, err := f.Float("x.k"); return ok, err },
		"a bool":               func(f *File) (bool, error) { _, ok, err := f.Bool("x.k"); return ok, err },
		"a string":             func(f *File) (bool, error) { _, ok, err := f.String("x.k"); return ok, err },
		"an array of strings":  func(f *File) (bool, error) { _, ok, err := f.Strings("x.k"); return ok, err },
		"an array of floats":   func(f *File) (bool, error) { _, ok, err := f.Floats("x.k"); return ok, err },
		"an array of integers": func(f *File) (bool, error) { _, ok, err := f.Ints("x.k"); return ok, err },
	}
	values := map[string]any{
		"an integer": uint32(1), "a float": float32(1), "a bool": true, "a string": "1",
		"an array of strings": []string{"1"}, "an array of floats": []float64{1}, "an array of integers": []int8{1},
	}
	for want, get := range getters {
		if found, err := get(metadata(t)); found || err != nil {
			t.Errorf("%s that is absent: %v, %v", want, found, err)
		}
		for is, v := range values {
			found, err := get(metadata(t, KV{"x.k", v}))
			if is == want {
				if !found || err != nil {
					t.Errorf("%s: %v, %v", want, found, err)
				}
				continue
			}
			wantError(t, found, err, "x.k: the value is ")
			wantError(t, found, err, ", not "+want)
		}
	}
}

func wantError(t *testing.T, found bool, err error, want string) {
	t.Helper()
	var format *FormatError
	if !found || !errors.As(err, &format) || !strings.Contains(err.Error(), want) {
		t.Errorf("found %v, error %v, want %q", found, err, want)
	}
}
