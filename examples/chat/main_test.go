package main

import (
	"regexp"
	"strings"
	"testing"
)

// A conversation: what was said before is part of the next prompt.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), strings.NewReader("Hello!\n\nMy name is Anna.\nWhat is my name?\n"), &out, ""); err != nil {
		t.Fatal(err)
	}
	want := `(?s)^> (Hello|Hi).+\n  \[\d+ prompt tokens, 0 of them from the cache, \d+ new\]\n> > .+\n  \[.+\]\n> .+\n  \[.+\]\n> \n$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("got\n%s", out.String())
	}
}

// A conversation that outgrows the context goes on without its beginning.
func TestForgets(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a context")
	}
	var out strings.Builder
	long := strings.Repeat("My friend has a cat and a dog. ", 40) + "\n"
	if err := run(t.Context(), strings.NewReader(strings.Repeat(long, 4)), &out, ""); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), " new]"); n != 4 {
		t.Errorf("%d answers of 4:\n%s", n, out.String())
	}
}
