package gguf

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/minillm/internal/quant"
)

// everything has a pair of every type.
var everything = []KV{
	{"uint8", uint8(255)}, {"int8", int8(-128)}, {"uint16", uint16(65535)}, {"int16", int16(-32768)},
	{"uint32", uint32(math.MaxUint32)}, {"int32", int32(math.MinInt32)}, {"uint64", uint64(math.MaxUint64)}, {"int64", int64(math.MinInt64)},
	{"float32", float32(-0.5)}, {"float64", math.Pi}, {"no", false}, {"yes", true}, {"string", "日本"}, {"empty", ""},
	{"uint8s", []uint8{0, 255}}, {"int8s", []int8{-1}}, {"uint16s", []uint16{1}}, {"int16s", []int16{-1}},
	{"uint32s", []uint32{1}}, {"int32s", []int32{-1}}, {"uint64s", []uint64{1}}, {"int64s", []int64{-1}},
	{"float32s", []float32{1, -2}}, {"float64s", []float64{1}}, {"bools", []bool{true, false}}, {"strings", []string{"", "b"}},
	{"none", []string{}},
}

var someTensors = []Tensor{
	{"a", quant.F32, []int{3}, []byte("abcdefghijkl")},
	{"b", quant.Q8_0, []int{32, 1, 2}, bytes.Repeat([]byte{7}, 68)},
	{"c", quant.F16, []int{1, 1, 1, 1}, []byte("xy")},
}

func TestRoundTrip(t *testing.T) {
	for _, align := range []int{8, 32, 64, 4096} {
		kv := append([]KV{{alignmentKey, uint32(align)}}, everything...)
		f := parsed(t, kv, someTensors)
		if f.Version != 3 {
			t.Errorf("version %d", f.Version)
		}
		var got []KV
		for _, key := range f.Keys() {
			v, _ := f.Get(key)
			got = append(got, KV{key, v})
		}
		if d := cmp.Diff(kv, got); d != "" {
			t.Errorf("alignment %d: metadata (-want +got):\n%s", align, d)
		}
		if d := cmp.Diff(someTensors, f.Tensors); d != "" {
			t.Errorf("alignment %d: tensors (-want +got):\n%s", align, d)
		}
	}
}

func parsed(t *testing.T, kv []KV, tensors []Tensor) *File {
	t.Helper()
	f, err := Parse(written(t, kv, tensors))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func written(t *testing.T, kv []KV, tensors []Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, kv, tensors); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAlignment wants the data to lie where the file says.
func TestAlignment(t *testing.T) {
	b := written(t, []KV{{alignmentKey, uint32(64)}}, someTensors)
	if at := bytes.Index(b, []byte("abcdefghijkl")); at%64 != 0 {
		t.Errorf("the data begin at byte %d", at)
	}
	if len(b)%64 != 0 {
		t.Errorf("the file has %d bytes", len(b))
	}
}

func TestVersion2(t *testing.T) {
	b := written(t, everything, someTensors)
	b[4] = 2
	f, err := Parse(b)
	if err != nil || f.Version != 2 || len(f.Tensors) != len(someTensors) {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestFind(t *testing.T) {
	f := parsed(t, nil, someTensors)
	if x, ok := f.Tensor("b"); !ok || x.Rows() != 2 || x.Data[0] != 7 {
		t.Errorf("b: %+v, %v", x, ok)
	}
	if x, ok := f.Tensor("d"); ok {
		t.Errorf("d: %+v", x)
	}
	if _, ok := f.Get("d"); ok {
		t.Error("there is no key d")
	}
}

func TestWriteErrors(t *testing.T) {
	tensor := func(shape []int, typ quant.Type, bytes int) []Tensor {
		return []Tensor{{"t", typ, shape, make([]byte, bytes)}}
	}
	for want, c := range map[string]struct {
		kv      []KV
		tensors []Tensor
	}{
		"k: a value of type int cannot":            {kv: []KV{{"k", 1}}},
		"k: a value of type []interface":           {kv: []KV{{"k", []any{1}}}},
		"k: a value of type <nil> cannot":          {kv: []KV{{"k", nil}}},
		"k: the key is there twice":                {kv: []KV{{"k", true}, {"k", true}}},
		"general.alignment: 7 is not":              {kv: []KV{{alignmentKey, uint8(7)}}},
		"tensor t: 0 dimensions":                   {tensors: tensor(nil, quant.F32, 0)},
		"tensor t: dimension 0 is -1":              {tensors: tensor([]int{-1}, quant.F32, 0)},
		"tensor t: number format Q3_K":             {tensors: tensor([]int{256}, 11, 110)},
		"tensor t: rows of 33 values":              {tensors: tensor([]int{33}, quant.Q8_0, 68)},
		"tensor t: 4 bytes, where [2] of F32":      {tensors: tensor([]int{2}, quant.F32, 4)},
		"tensor t: the name is there twice":        {tensors: append(tensor([]int{1}, quant.F32, 4), tensor([]int{1}, quant.F32, 4)...)},
		"a name of 65536 bytes, not 1 to 65535":    {tensors: []Tensor{{strings.Repeat("t", 65536), quant.F32, []int{1}, make([]byte, 4)}}},
		"key 1 of 1: a name of 0 bytes, not 1 to ": {kv: []KV{{"", true}}},
	} {
		var b bytes.Buffer
		if err := Write(&b, c.kv, c.tensors); err == nil || !strings.Contains(err.Error(), want) || b.Len() > 0 {
			t.Errorf("the error is %v after %d bytes, want %q", err, b.Len(), want)
		}
	}
}

// full is a disk with room for so many bytes.
type full int

var errFull = errors.New("disk full")

func (f *full) Write(b []byte) (int, error) {
	if *f -= full(len(b)); *f < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteToFullDisk(t *testing.T) {
	for room := range len(written(t, everything, someTensors)) {
		disk := full(room)
		if err := Write(&disk, everything, someTensors); !errors.Is(err, errFull) {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
	}
}
