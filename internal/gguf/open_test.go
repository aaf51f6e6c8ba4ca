package gguf

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(path, valid(), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	useAll(t, f)
	if f.Path() != path {
		t.Errorf("the path is %q", f.Path())
	}
	arch, _, _ := f.String("general.architecture")
	for range 2 {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, found, err := f.String("general.architecture"); found || err != nil || len(f.Keys()) > 0 || len(f.Tensors) > 0 {
			t.Errorf("after Close there is something left: %v, %v", found, err)
		}
	}
	if arch != "llama" {
		t.Errorf("the architecture became %q", arch)
	}
}

// TestOpenErrors wants one clear error that names the path.
func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct{ path, want string }{
		{dir, "not a regular file (a directory)"},
		{write("empty", nil), "not a GGUF file"},
		{write("text", []byte("Once upon a time\n")), `not a GGUF file: it starts with "Once"`},
		{write("cut", valid()[:200]), "truncated"},
		{write("short", valid()[:len(valid())-1]), "tensor norm: "},
	} {
		_, err := Open(c.path)
		if err == nil || !strings.Contains(err.Error(), c.path) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, without %q", c.path, err, c.want)
		}
		if n := strings.Count(err.Error(), "\n"); n > 0 {
			t.Errorf("%s: an error of %d lines", c.path, n+1)
		}
	}
	path := filepath.Join(dir, "absent")
	if _, err := Open(path); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("no file: %v", err)
	}
}
