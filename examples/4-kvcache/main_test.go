package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, "", 24); err != nil {
		t.Fatal(err)
	}
	want := `(?s)^ +tokens +latency +tokens/s *\n *with the cache +24 .*\n *without +24 .*\nthe same tokens, [0-9.]+ times as fast\n$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("got\n%s", out.String())
	}
}
