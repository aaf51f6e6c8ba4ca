package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

// TestProgram runs the program as it stands and reads what it prints.
func TestProgram(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	main()
	os.Stdout = stdout
	w.Close()
	out, err := io.ReadAll(r)
	if err != nil || !strings.Contains(string(out), "language model") {
		t.Errorf("%v, it says %q", err, out)
	}
}
