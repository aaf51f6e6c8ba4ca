package gguf

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
)

// lies are the ways in which a file can be wrong, and what the error says of each.
var lies = []struct {
	name string
	file []byte
	want string
}{
	{"empty", nil, `not a GGUF file: it starts with ""`},
	{"text", []byte("Hello, world"), `not a GGUF file: it starts with "Hell"`},
	{"magic only", []byte("GGUF"), "header: truncated: 4 bytes wanted at byte 4, 0 left"},
	{"version 1", raw(magic).u32(1).zeros(16), "header: version 1 is not supported"},
	{"version 4", raw(magic).u32(4).zeros(16), "header: version 4 is not supported"},
	{"big endian", raw(magic).u32(3 << 24).zeros(16), "big endian"},

	{"pairs that are not there", header(0, math.MaxUint64), "key 1 of 18446744073709551615: truncated"},
	{"tensors that are not there", header(math.MaxUint64, 0), "tensor 1 of 18446744073709551615: truncated"},
	{"long key", header(0, 1).u64(math.MaxUint64), "key 1 of 1: truncated: 18446744073709551615 bytes wanted"},
	{"key over the limit", header(0, 1).text(strings.Repeat("k", maxName+1)).u32(4).u32(1), "a name of 65536 bytes"},
	{"empty key", header(0, 1).u32Pair("", 1), "a name of 0 bytes"},
	{"key twice", header(0, 2).u32Pair("k", 1).u32Pair("k", 1), "k: the key is there twice"},
	{"value type", header(0, 1).pair("k", 13).u64(0), "k: value type 13 is not known"},
	{"value type of elements", header(0, 1).array("k", 13, 1).u64(0), "k: value type 13 is not known"},
	{"array of arrays", header(0, 1).array("k", kindArray, 1).u32(4).u64(1).u32(1), "k: arrays of arrays are not supported"},
	{"long string", header(0, 1).pair("k", kindString).u64(1 << 40), "k: truncated: 1099511627776 bytes wanted at byte 45, 0 left"},
	{"long array", header(0, 1).array("k", kindUint32, math.MaxUint64).zeros(64), "k: truncated: 18446744073709551615 values of type uint32"},
	{"array whose size overflows", header(0, 1).array("k", kindUint64, 1<<61).zeros(64), "k: truncated: 2305843009213693952 values"},
	{"long array of strings", header(0, 1).array("k", kindString, math.MaxUint64).zeros(64), "k: string 9 of 18446744073709551615: truncated"},
	{"long string in an array", header(0, 1).array("k", kindString, 1).u64(math.MaxUint64), "k: string 1 of 1: truncated"},

	{"alignment 0", header(0, 1).u32Pair(alignmentKey, 0), "general.alignment: 0 is not a multiple of 8"},
	{"alignment 12", header(0, 1).u32Pair(alignmentKey, 12), "general.alignment: 12 is not"},
	{"huge alignment", header(0, 1).pair(alignmentKey, kindUint64).u64(1 << 63), "general.alignment: 9223372036854775808 is not"},
	{"alignment in words", header(0, 1).pair(alignmentKey, kindString).text("32"), "general.alignment: the value is string, not an integer"},

	{"no dimensions", header(1, 0).tensor("t", 0, 0), "tensor t: 0 dimensions"},
	{"5 dimensions", header(1, 0).tensor("t", 0, 0, 1, 1, 1, 1, 1), "tensor t: 5 dimensions"},
	{"9 dimensions", header(1, 0).tensor("t", 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1), "tensor t: 9 dimensions"},
	{"4 billion dimensions", header(1, 0).text("t").u32(math.MaxUint32).zeros(64), "tensor t: 4294967295 dimensions"},
	{"dimension 0", header(1, 0).tensor("t", 0, 0, 8, 0), "tensor t: dimension 1 is 0"},
	{"dimension -1", header(1, 0).tensor("t", 0, 0, math.MaxUint64), "tensor t: dimension 0 is -1"},
	{"product overflows", header(1, 0).tensor("t", 0, 0, math.MaxInt64, 2), "so many values fit no memory"},
	{"product wraps to zero", header(1, 0).tensor("t", 0, 0, 1<<32, 1<<32), "so many values fit no memory"},
	{"bytes overflow", header(1, 0).tensor("t", 0, 0, 1<<62).align(32).zeros(32), "tensor t: "},
	{"unknown format", header(1, 0).tensor("t", 99, 0, 32), "tensor t: number format type 99 is not supported"},
	{"format not decoded", header(1, 0).tensor("t", 11, 0, 256), "tensor t: number format Q3_K is not supported"},
	{"half a block", header(1, 0).tensor("t", 8, 0, 16), "tensor t: rows of 16 values are not whole blocks of 32"},
	{"name twice", header(2, 0).tensor("t", 0, 0, 8).tensor("t", 0, 32, 8).align(32).zeros(64), "tensor t: the name is there twice"},
	{"offset outside", header(1, 0).tensor("t", 0, 1<<40, 8).align(32).zeros(32), "tensor t: its [8] values of F32 at offset 1099511627776 do not fit the 32 bytes"},
	{"last offset", header(1, 0).tensor("t", 0, math.MaxUint64-31, 8).align(32).zeros(32), "tensor t: its [8] values"},
	{"data cut", header(1, 0).tensor("t", 0, 0, 8).align(32).zeros(31), "tensor t: its [8] values"},
	{"no data", header(1, 0).tensor("t", 0, 0, 8), "tensor t: its [8] values of F32 at offset 0 do not fit the 0 bytes"},
	{"offset between", header(1, 0).tensor("t", 0, 4, 8).align(32).zeros(64), "tensor t: offset 4 is not a multiple of the alignment 32"},
	{"overlap", header(2, 0).tensor("t", 0, 0, 16).tensor("u", 0, 32, 8).align(32).zeros(64), "tensor u: it overlaps another"},
	{"same bytes", header(2, 0).tensor("t", 0, 0, 8).tensor("u", 0, 0, 8).align(32).zeros(64), "it overlaps another"},
}

func TestLies(t *testing.T) {
	for _, lie := range lies {
		t.Run(lie.name, func(t *testing.T) {
			err := refused(t, lie.file)
			if !strings.Contains(err.Error(), lie.want) {
				t.Errorf("the error is %q, without %q", err, lie.want)
			}
		})
	}
}

// refused wants a *FormatError that took little memory.
func refused(t *testing.T, file []byte) error {
	t.Helper()
	var f *File
	var err error
	took := allocated(func() { f, err = Parse(file) })
	var format *FormatError
	if !errors.As(err, &format) || f != nil {
		t.Fatalf("Parse gave %v, %v", f, err)
	}
	if limit := uint64(64<<10 + 4*len(file)); took > limit {
		t.Errorf("refusing %d bytes took %d bytes of memory", len(file), took)
	}
	return err
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestCut cuts a good file at every byte.
func TestCut(t *testing.T) {
	file := valid()
	if _, err := Parse(file); err != nil {
		t.Fatal(err)
	}
	for n := range file {
		refused(t, file[:n:n])
	}
}

// TestHostileNumbers overwrites every stretch of 4 and 8 bytes of a good file with absurd numbers: counts, lengths,
// dimensions, offsets are all among them. Some are harmless where they land; none may panic or take memory.
func TestHostileNumbers(t *testing.T) {
	file := valid()
	for at := range len(file) - 8 {
		for _, n := range []uint64{0, 1, 1 << 31, 1<<32 - 1, 1 << 40, 1 << 61, 1<<63 - 1, 1 << 63, math.MaxUint64 - 31, math.MaxUint64} {
			for _, b := range [][]byte{le.AppendUint64(nil, n), le.AppendUint32(nil, uint32(n))} {
				bad := append([]byte{}, file...)
				copy(bad[at:], b)
				if f, err := Parse(bad); err == nil {
					useAll(t, f)
				}
			}
		}
	}
	took := allocated(func() {
		for at := range len(file) - 8 {
			bad := append([]byte{}, file...)
			copy(bad[at:], "\xff\xff\xff\xff\xff\xff\xff\x7f")
			Parse(bad)
		}
	})
	if each := took / uint64(len(file)); each > 16<<10 {
		t.Errorf("%d bytes of memory for a file of %d", each, len(file))
	}
}

// useAll decodes every value and touches every tensor.
func useAll(t *testing.T, f *File) {
	t.Helper()
	for _, key := range f.Keys() {
		f.Get(key)
		f.Uint(key)
		f.Float(key)
		f.Bool(key)
		f.String(key)
		f.Strings(key)
		f.Floats(key)
		f.Ints(key)
	}
	for _, x := range f.Tensors {
		if want := x.Type.RowBytes(x.Shape[0]) * x.Rows(); len(x.Data) != want || want == 0 {
			t.Fatalf("%s has %d bytes, its shape %v takes %d", x.Name, len(x.Data), x.Shape, want)
		}
		fmt.Fprint(discard{}, x.Data[0], x.Data[len(x.Data)-1])
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
