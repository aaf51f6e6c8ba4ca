package main

import (
	"regexp"
	"strings"
	"testing"
)

// The figures differ by a little from processor to processor; that a story
// begins with a time does not.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, ""); err != nil {
		t.Fatal(err)
	}
	want := `(?m)^after " a" +the model expects " time" +and gets " time" +with +(9[0-9]|100)\.[0-9] %$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("want %s, got\n%s", want, out.String())
	}
	if !regexp.MustCompile(`\nperplexity [1-9]\.?[0-9]*: as unsure`).MatchString(out.String()) {
		t.Errorf("want a perplexity below 10, got\n%s", out.String())
	}
}
