package gguf

import (
	"bytes"
	"testing"
)

// FuzzParse feeds anything: the reader never panics, and what it accepts can be used, written and read again, with
// the same bytes each time.
func FuzzParse(f *testing.F) {
	f.Add(valid())
	for _, lie := range lies {
		f.Add(lie.file)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		useAll(t, file)
		once := rewritten(t, file)
		again, err := Parse(once)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once, rewritten(t, again)) {
			t.Fatal("written twice, the file differs")
		}
	})
}

func rewritten(t *testing.T, f *File) []byte {
	var kv []KV
	for _, key := range f.Keys() {
		v, _ := f.Get(key)
		kv = append(kv, KV{key, v})
	}
	return written(t, kv, f.Tensors)
}
