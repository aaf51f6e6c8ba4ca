package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A conversation ends with its input; what cannot be read is told.
func TestChatInput(t *testing.T) {
	for _, c := range []struct {
		name string
		in   io.Reader
		want string
	}{
		{"the end", strings.NewReader("hi\n"), "<nil>"},
		{"a broken input", io.MultiReader(strings.NewReader("hi\n"), iotest.ErrReader(errors.New("gone"))), "standard input: gone"},
		{"a line without end", strings.NewReader(strings.Repeat("x", 2<<20)), "standard input: bufio.Scanner: token too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := (&chat{request: requestFlags{maxTokens: 2}}).run(t.Context(), c.in)
			if got := fmt.Sprint(err); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
