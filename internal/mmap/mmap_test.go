package mmap

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	for _, size := range []int{0, 1, 4095, 4096, 4097, 1 << 20} {
		want := bytes.Repeat([]byte{0xa5, 1, 2}, size)[:size]
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.Bytes, want) {
			t.Errorf("%d bytes are read as %d other ones", size, len(f.Bytes))
		}
		for range 2 {
			if err := f.Close(); err != nil || f.Bytes != nil {
				t.Errorf("Close: %v; %d bytes are left", err, len(f.Bytes))
			}
		}
	}
}

// TestReplace is how a model is updated under a running server: the old file stays as long as it is mapped.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "model"), filepath.Join(dir, "new")
	for path, text := range map[string]string{old: "old", fresh: "new!"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(old)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(fresh, old); err != nil {
		t.Skipf("this system keeps mapped files: %v", err)
	}
	if string(f.Bytes) != "old" {
		t.Errorf("the mapping became %q", f.Bytes)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "a directory") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := (*File)(nil).Close(); err != nil {
		t.Errorf("no mapping: %v", err)
	}
}
