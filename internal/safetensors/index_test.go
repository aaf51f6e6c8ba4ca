package safetensors

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder has two shards and an index of this text.
func folder(t *testing.T, index string) (path string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "model.safetensors.index.json")
	for name, b := range map[string][]byte{
		"1.safetensors":     written(t, nil, []Tensor{{"a", "U8", []int{1}, []byte("a")}, {"x", "U8", []int{1}, []byte("x")}}),
		"2.safetensors":     written(t, nil, []Tensor{{"b", "U8", []int{2}, []byte("bb")}, {"x", "U8", []int{1}, []byte("y")}}),
		"bad":               []byte("Hello, world"),
		filepath.Base(path): []byte(index),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestOpenIndex(t *testing.T) {
	f, err := OpenIndex(folder(t, `{"metadata":{"total_size":4},"weight_map":{"b":"2.safetensors","a":"1.safetensors","x":"2.safetensors"}}`))
	if err != nil {
		t.Fatal(err)
	}
	checkTensors(t, f)
	for name, want := range map[string]string{"a": "a", "b": "bb", "x": "y"} {
		if x, ok := f.Tensor(name); !ok || string(x.Data) != want {
			t.Errorf("%s is %q, %v", name, x.Data, ok)
		}
	}
	if len(f.Tensors) != 3 {
		t.Errorf("%d tensors", len(f.Tensors))
	}
	if err := f.Close(); err != nil || len(f.Tensors) > 0 {
		t.Errorf("Close: %v", err)
	}
}

func TestIndexErrors(t *testing.T) {
	for want, index := range map[string]string{
		"invalid character":                                       "Hello",
		"weight_map: it lists no tensors":                         "{}",
		"weight_map: it lists no tensors ":                        `{"weight_map":{}}`,
		"json: cannot unmarshal":                                  `{"weight_map":["a"]}`,
		`tensor a: "../1.safetensors" is not the name of a file`:  `{"weight_map":{"a":"../1.safetensors"}}`,
		`tensor a: "/etc/passwd" is not the name of a file`:       `{"weight_map":{"a":"/etc/passwd"}}`,
		`tensor a: "" is not the name of a file`:                  `{"weight_map":{"a":""}}`,
		`tensor a: "." is not the name of a file`:                 `{"weight_map":{"a":"."}}`,
		`tensor a: ".." is not the name of a file`:                `{"weight_map":{"a":".."}}`,
		"2.safetensors: tensor a: the index says that it is here": `{"weight_map":{"a":"2.safetensors"}}`,
		"bad: header: a length of":                                `{"weight_map":{"a":"bad"}}`,
		"absent":                                                  `{"weight_map":{"a":"absent"}}`,
		"not a regular file":                                      `{"weight_map":{"a":"folder"}}`,
	} {
		path := folder(t, index)
		if err := os.Mkdir(filepath.Join(filepath.Dir(path), "folder"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := OpenIndex(path)
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) || !strings.Contains(err.Error(), filepath.Dir(path)) {
			t.Errorf("%s: the error is %v, without %q", index, err, want)
		}
	}
	if _, err := OpenIndex(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no index: %v", err)
	}
}
