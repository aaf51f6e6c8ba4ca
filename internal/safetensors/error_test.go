package safetensors

import (
	"strings"
	"testing"
)

func TestFormatError(t *testing.T) {
	for _, c := range []struct {
		err  FormatError
		want string
	}{
		{FormatError{What: "wrong"}, "safetensors: wrong"},
		{FormatError{Path: "dir/file", What: "wrong"}, "safetensors: dir/file: wrong"},
		{FormatError{Path: "dir/file", Where: "größe", What: `"x"`}, `safetensors: dir/file: größe: "x"`},
		{FormatError{Where: "a\x1b[2Jb", What: "line\nline"}, `safetensors: "a\x1b[2Jb": "line\nline"`},
		{FormatError{Where: "\xff", What: "wrong"}, `safetensors: "\xff": wrong`},
		{FormatError{Where: strings.Repeat("k", 1e6), What: "wrong"}, "safetensors: " + strings.Repeat("k", 300) + "…: wrong"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
