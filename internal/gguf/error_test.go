package gguf

import (
	"strings"
	"testing"
)

func TestFormatError(t *testing.T) {
	for _, c := range []struct {
		err  FormatError
		want string
	}{
		{FormatError{What: "wrong"}, "gguf: wrong"},
		{FormatError{Path: "dir/file", What: "wrong"}, "gguf: dir/file: wrong"},
		{FormatError{Path: "dir/file", Where: "größe", What: `"x"`}, `gguf: dir/file: größe: "x"`},
		{FormatError{Where: "a\x1b[2Jb", What: "line\nline"}, `gguf: "a\x1b[2Jb": "line\nline"`},
		{FormatError{Where: "\xff", What: "wrong"}, `gguf: "\xff": wrong`},
		{FormatError{Where: strings.Repeat("k", 1e6), What: "wrong"}, "gguf: " + strings.Repeat("k", 300) + "…: wrong"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
