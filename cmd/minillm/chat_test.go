package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"example.com/minillm/internal/tiny"
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

// A model without a template continues texts; what takes a conversation says so
// at once.
func TestNoTemplate(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.gguf")
	without := bytes.Replace(tiny.GGUF(tiny.Config{}), []byte("tokenizer.chat_template"), []byte("tokenizer.tool_template"), 1)
	if err := os.WriteFile(model, without, 0o644); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]int{"chat": 1, "run --system x hi": 1, "run --raw --max-tokens 2 hi": 0, "run --max-tokens 2 hi": 0} {
		if code := execute(t.Context(), append(strings.Fields(line), "--model", model)); code != want {
			t.Errorf("%s: status %d, want %d", line, code, want)
		}
	}
}
