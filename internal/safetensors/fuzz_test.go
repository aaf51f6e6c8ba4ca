package safetensors

import (
	"bytes"
	"os"
	"testing"
)

// FuzzParse feeds anything: the reader never panics, and what it accepts can be written and read again, with the same
// bytes each time.
func FuzzParse(f *testing.F) {
	golden, err := os.ReadFile("testdata/golden.safetensors")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	for _, lie := range lies {
		f.Add(lie.file)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		checkTensors(t, file)
		once := written(t, file.Metadata, file.Tensors)
		again, err := Parse(once)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once, written(t, again.Metadata, again.Tensors)) {
			t.Fatal("written twice, the file differs")
		}
	})
}

// FuzzIndex feeds anything as an index: it never leads out of its folder.
func FuzzIndex(f *testing.F) {
	f.Add(`{"weight_map":{"a":"model-00001-of-00002.safetensors"}}`)
	f.Add(`{"weight_map":{"a":"../../etc/passwd"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := t.TempDir() + "/index.json"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if file, err := OpenIndex(path); err == nil {
			t.Errorf("%q led to %d tensors of a file that is not there", text, len(file.Tensors))
		}
	})
}
