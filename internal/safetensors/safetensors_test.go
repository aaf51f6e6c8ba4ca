package safetensors

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/minillm/internal/quant"
)

// TestGolden reads what the reference implementation wrote; testdata/golden.py says how.
func TestGolden(t *testing.T) {
	f, err := Open("testdata/golden.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if d := cmp.Diff(map[string]string{"format": "np", "version": "1"}, f.Metadata); d != "" {
		t.Errorf("metadata (-want +got):\n%s", d)
	}
	for _, want := range []struct {
		name, dtype string
		shape       []int
		values      []float32 // nil for no float
	}{
		{"matrix", "F32", []int{2, 3}, []float32{0, 0.25, 0.5, 0.75, 1, 1.25}},
		{"half", "F16", []int{3}, []float32{0.5, -2, 65504}},
		{"empty", "F32", []int{0, 3}, []float32{}},
		{"one", "F32", []int{}, []float32{1.5}},
		{"ids", "I64", []int{2}, nil},
		{`größe "x"`, "U8", []int{1}, nil},
	} {
		got, ok := f.Tensor(want.name)
		if !ok || got.Name != want.name || got.DType != want.dtype || cmp.Diff(want.shape, got.Shape) != "" {
			t.Errorf("%s: %v %+v", want.name, ok, got)
		}
		if d := cmp.Diff(want.values, values(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", want.name, d)
		}
	}
	if len(f.Tensors) != 6 {
		t.Errorf("%d tensors", len(f.Tensors))
	}
	if ids, _ := f.Tensor("ids"); !bytes.Equal(ids.Data, []byte("\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff")) {
		t.Errorf("ids are %x", ids.Data)
	}
	if _, ok := f.Tensor("absent"); ok {
		t.Error("there is no such tensor")
	}
}

// values decodes a float tensor.
func values(x Tensor) []float32 {
	typ, ok := x.Type()
	if !ok {
		return nil
	}
	v := make([]float32, len(x.Data)/typ.BlockBytes())
	quant.Dequantize(v, typ, x.Data)
	return v
}

func TestType(t *testing.T) {
	for dtype := range dtypes {
		typ, ok := Tensor{DType: dtype}.Type()
		if isFloat := dtype == "F32" || dtype == "F16" || dtype == "BF16"; ok != isFloat || ok && typ.String() != dtype {
			t.Errorf("%s is %v, %v", dtype, typ, ok)
		}
		if ok && typ.BlockBytes() != dtypes[dtype].bytes {
			t.Errorf("%s has %d bytes", dtype, dtypes[dtype].bytes)
		}
	}
	if _, ok := (Tensor{}).Type(); ok {
		t.Error("no format is known")
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	golden, err := os.ReadFile("testdata/golden.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty": {nil, "truncated: 0 bytes"},
		"text":  {[]byte("Once upon a time\n"), "this is no safetensors file"},
		"cut":   {golden[:len(golden)-1], "offsets"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, without %q", name, err, c.want)
		}
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "a directory") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestClose(t *testing.T) {
	f, err := Open("testdata/golden.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, ok := f.Tensor("matrix"); ok || len(f.Tensors) > 0 {
			t.Error("after Close there are tensors left")
		}
	}
}
