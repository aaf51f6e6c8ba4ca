package mmap

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestRelease reads what was released once more, at odd borders.
func TestRelease(t *testing.T) {
	want := bytes.Repeat([]byte("0123456"), 5000)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, want, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, part := range [][2]int{{0, len(want)}, {1, len(want) - 1}, {100, 200}, {4096, 8192}, {7, 7}} {
		f.Release(f.Bytes[part[0]:part[1]])
		if !bytes.Equal(f.Bytes, want) {
			t.Fatalf("other bytes after the release of %v", part)
		}
	}
}

// TestReleaseOfOther releases what is no mapping: nothing happens.
func TestReleaseOfOther(t *testing.T) {
	b := bytes.Repeat([]byte{1}, 1<<16)
	(&File{Bytes: b}).Release(b)
	(*File)(nil).Release(b)
	if !bytes.Equal(b, bytes.Repeat([]byte{1}, 1<<16)) {
		t.Error("memory that is not mapped was cleared")
	}
}

// TestReleaseOfAnother gives a mapping memory that is not its own, which must keep what it holds.
func TestReleaseOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 1<<17), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := bytes.Repeat([]byte{1}, 1<<16)
	f.Release(b)
	f.Release(nil)
	if !bytes.Equal(b, bytes.Repeat([]byte{1}, 1<<16)) {
		t.Error("memory of another was cleared")
	}
}
