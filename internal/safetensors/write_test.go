package safetensors

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var someTensors = []Tensor{
	{"b", "BF16", []int{1, 2}, []byte("abcd")},
	{"a<\"&\u2028", "U8", []int{3}, []byte("xyz")},
	{"none", "F32", []int{4, 0}, []byte{}},
	{"scalar", "I16", []int{}, []byte("12")},
}

func TestRoundTrip(t *testing.T) {
	for _, metadata := range []map[string]string{nil, {}, {"format": "pt", "quote": `"`}} {
		b := written(t, metadata, someTensors)
		f, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(someTensors, f.Tensors); d != "" {
			t.Errorf("tensors (-want +got):\n%s", d)
		}
		if d := cmp.Diff(metadata, f.Metadata); d != "" {
			t.Errorf("metadata (-want +got):\n%s", d)
		}
		if at := bytes.Index(b, []byte("abcdxyz12")); at%8 != 0 {
			t.Errorf("the data begin at byte %d", at)
		}
	}
}

func written(t *testing.T, metadata map[string]string, tensors []Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, metadata, tensors); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWriteErrors(t *testing.T) {
	for want, tensors := range map[string][]Tensor{
		`tensor t: number format "Q4_0" is not known`:   {{"t", "Q4_0", []int{32}, make([]byte, 18)}},
		"tensor t: [2] of F32 takes 8 bytes":            {{"t", "F32", []int{2}, make([]byte, 4)}},
		"tensor t: json: cannot unmarshal number -1":    {{"t", "F32", []int{-1}, make([]byte, 4)}},
		`header: "t" is there twice`:                    {{"t", "U8", []int{1}, []byte{1}}, {"t", "U8", []int{1}, []byte{1}}},
		"\"tensor \\xff\": the name is not valid UTF-8": {{"\xff", "U8", []int{1}, []byte{1}}},
		"__metadata__: json: cannot unmarshal":          {{"__metadata__", "U8", []int{1}, []byte{1}}},
	} {
		var b bytes.Buffer
		var format *FormatError
		if err := Write(&b, nil, tensors); !errors.As(err, &format) || !strings.Contains(err.Error(), want) || b.Len() > 0 {
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
	for room := range len(written(t, nil, someTensors)) {
		disk := full(room)
		if err := Write(&disk, nil, someTensors); !errors.Is(err, errFull) {
			t.Fatalf("room for %d bytes: %v", room, err)
		}
	}
}
