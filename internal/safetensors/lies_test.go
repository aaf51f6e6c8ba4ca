package safetensors

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
)

// file is a header with its length, and so many bytes of data.
func file(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, data)...)
}

// lies are the ways in which a file can be wrong, and what the error says of each.
var lies = []struct {
	name string
	file []byte
	want string
}{
	{"empty", nil, "header: truncated: 0 bytes"},
	{"seven bytes", make([]byte, 7), "header: truncated: 7 bytes"},
	{"length -1", append([]byte("\xff\xff\xff\xff\xff\xff\xff\xff"), "{}"...), "header: a length of 18446744073709551615 bytes"},
	{"length 2^40", append(binary.LittleEndian.AppendUint64(nil, 1<<40), "{}"...), "header: a length of 1099511627776 bytes"},
	{"length 2^26", append(binary.LittleEndian.AppendUint64(nil, 1<<26), "{}"...), "header: truncated: 2 bytes of 67108864"},
	{"no header", file("", 8), "header: it does not start with {"},
	{"space before", file(" {}", 0), "header: it does not start with {"},
	{"an array", file("[]", 0), "header: it does not start with {"},
	{"no UTF-8", file("{\"\xff\":1}", 0), "header: it is not valid UTF-8"},
	{"open", file(`{"a":`, 0), "the JSON is cut off"},
	{"open object", file(`{`, 0), "header: the JSON is cut off"},
	{"open tensor", file(`{"a":{"dtype":"F32"`, 0), "tensor a: the JSON is cut off"},
	{"key without quotes", file(`{a:1}`, 0), "header: invalid character"},
	{"number as key", file(`{1:1}`, 0), "header: "},
	{"text after", file(`{}x`, 0), "header: something other than spaces follows"},
	{"second object", file(`{}{}`, 0), "header: something other than spaces follows"},
	{"deep", file(`{"a":{"x":`+strings.Repeat("[", 20000), 0), "tensor a: "},

	{"no object", file(`{"a":null}`, 0), "tensor a: it is no JSON object"},
	{"a number", file(`{"a":7}`, 0), "tensor a: it is no JSON object"},
	{"no fields", file(`{"a":{}}`, 0), `tensor a: number format "" is not known`},
	{"unknown format", file(`{"a":{"dtype":"Q9","shape":[1],"data_offsets":[0,4]}}`, 4), `tensor a: number format "Q9" is not known`},
	{"format in lower case", file(`{"a":{"dtype":"f32","shape":[1],"data_offsets":[0,4]}}`, 4), `number format "f32" is not known`},
	{"field in upper case", file(`{"a":{"DTYPE":"F32","shape":[1],"data_offsets":[0,4]}}`, 4), `number format "" is not known`},
	{"format as number", file(`{"a":{"dtype":4,"shape":[1],"data_offsets":[0,4]}}`, 4), "tensor a: json"},
	{"no shape", file(`{"a":{"dtype":"F32","data_offsets":[0,4]}}`, 4), "tensor a: it needs a shape"},
	{"shape null", file(`{"a":{"dtype":"F32","shape":null,"data_offsets":[0,4]}}`, 4), "tensor a: it needs a shape"},
	{"negative dimension", file(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4), "tensor a: json"},
	{"broken dimension", file(`{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}}`, 4), "tensor a: json"},
	{"huge dimension", file(`{"a":{"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,4]}}`, 4), "tensor a: json"},
	{"product overflows", file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0), "so many values fit no memory"},
	{"bytes overflow", file(`{"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}}`, 0), "so many values fit no memory"},
	{"overflow beside a zero", file(`{"a":{"dtype":"F32","shape":[4294967296,0,4294967296],"data_offsets":[0,0]}}`, 0), "so many values fit no memory"},
	{"one offset", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}}`, 4), "two data_offsets"},
	{"three offsets", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}`, 4), "two data_offsets"},
	{"shape and span differ", file(`{"a":{"dtype":"F32","shape":[1000,1000],"data_offsets":[0,4]}}`, 4), "[1000 1000] of F32 takes 4000000 bytes, offsets 0 to 4 have 4"},
	{"no bytes for one value", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,0]}}`, 0), "[1] of F32 takes 4 bytes, offsets 0 to 0 have 0"},
	{"no bytes for a scalar", file(`{"a":{"dtype":"F32","shape":[],"data_offsets":[0,0]}}`, 0), "[] of F32 takes 4 bytes"},
	{"bytes for no value", file(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,4]}}`, 4), "[0] of F32 takes 0 bytes"},
	{"backwards", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, 4), "offsets 4 to 0 are not within the 4 bytes"},
	{"outside", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 4), "offsets 4 to 8 are not within the 4 bytes"},
	{"far outside", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[18446744073709551612,18446744073709551615]}}`, 4), "are not within the 4 bytes"},
	{"gap before", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), "tensor a: its data begin at 4, the others end at 0"},
	{"gap after", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 8), "data: the last 4 bytes belong to no tensor"},
	{"data without tensors", file(`{}`, 1), "data: the last 1 bytes belong to no tensor"},
	{"overlap", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F16","shape":[1],"data_offsets":[2,4]}}`, 4), "tensor b: its data begin at 2, the others end at 4"},
	{"same bytes", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "its data begin at 0, the others end at 1"},
	{"name twice", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u0061":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2), `header: "a" is there twice`},
	{"field twice", file(`{"a":{"dtype":"U8","shape":[1],"dtype":"U8","data_offsets":[0,1]}}`, 1), `tensor a: "dtype" is there twice`},
	{"metadata twice", file(`{"__metadata__":{},"__metadata__":{}}`, 0), `header: "__metadata__" is there twice`},
	{"metadata of numbers", file(`{"__metadata__":{"a":1}}`, 0), "__metadata__: json"},
}

func TestLies(t *testing.T) {
	for _, lie := range lies {
		t.Run(lie.name, func(t *testing.T) {
			if err := refused(t, lie.file); !strings.Contains(err.Error(), lie.want) {
				t.Errorf("the error is %q, without %q", err, lie.want)
			}
		})
	}
}

// refused wants a *FormatError that took little memory.
func refused(t *testing.T, file []byte) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := Parse(file)
	runtime.ReadMemStats(&after)
	var format *FormatError
	if !errors.As(err, &format) || f != nil {
		t.Fatalf("Parse gave %v, %v", f, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(64<<10+64*len(file)) {
		t.Errorf("refusing %d bytes took %d bytes of memory", len(file), took)
	}
	return err
}

// TestGood has what may look wrong, but is not.
func TestGood(t *testing.T) {
	for name, file := range map[string][]byte{
		"no tensors":         file(`{}`, 0),
		"padding":            file("{}  \n\t ", 0),
		"metadata only":      file(`{"__metadata__":{"a":"b"}}`, 0),
		"empty at the end":   file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"e":{"dtype":"F32","shape":[0],"data_offsets":[4,4]}}`, 4),
		"empty in between":   file(`{"e":{"dtype":"F32","shape":[2,0],"data_offsets":[4,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 8),
		"empty at the start": file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"e":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, 4),
		"many dimensions":    file(`{"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,2]}}`, 2),
		"more fields":        file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"more":{"x":[1,null]}}}`, 1),
	} {
		f, err := Parse(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkTensors(t, f)
	}
}

// TestCut cuts a good file at every byte.
func TestCut(t *testing.T) {
	golden, err := os.ReadFile("testdata/golden.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	for n := range golden {
		refused(t, golden[:n:n])
	}
}

// checkTensors wants each tensor to have the bytes of its shape.
func checkTensors(t *testing.T, f *File) {
	t.Helper()
	for _, x := range f.Tensors {
		want := dtypes[x.DType].bytes
		for _, d := range x.Shape {
			want *= d
		}
		if len(x.Data) != want || want > math.MaxInt32 {
			t.Errorf("%s has %d bytes, its shape %v takes %d", x.Name, len(x.Data), x.Shape, want)
		}
		if y, ok := f.Tensor(x.Name); !ok || y.Name != x.Name {
			t.Errorf("%s is not found by its name", x.Name)
		}
	}
}
