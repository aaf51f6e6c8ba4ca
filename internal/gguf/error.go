package gguf

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FormatError says what is wrong with a file.
type FormatError struct {
	Kind  string // of the file, or of the package that read it; empty for GGUF
	Path  string // of the file; empty for Parse
	Where string // what was read: a key, a tensor, a part of the header; may be empty
	What  string // what is wrong with it
}

// Error is of the form "kind: path: where: what", in one line whatever the file says.
func (e *FormatError) Error() string {
	s := cmp.Or(e.Kind, "gguf") + ": "
	if e.Path != "" {
		s += e.Path + ": "
	}
	if e.Where != "" {
		s += tame(e.Where) + ": "
	}
	return s + tame(e.What)
}

// tame cuts what a stranger may have written, and quotes what would disturb a terminal or a log.
func tame(s string) string {
	const most = 300
	if len(s) > most {
		s = s[:most] + "…"
	}
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if !utf8.ValidString(s) || strings.ContainsFunc(s, odd) {
		return strconv.Quote(s)
	}
	return s
}
