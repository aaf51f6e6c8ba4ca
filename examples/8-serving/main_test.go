package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, ""); err != nil {
		t.Fatal(err)
	}
	want := `(?s)^client 0: a girl .+ … \(24 tokens, ended by length\)
client 1: a boy .+ … \(24 tokens, ended by length\)
client 2: a fox .+ … \(24 tokens, ended by length\)
client 3: left early
fewer steps than tokens: true
$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("got\n%s", out.String())
	}
}
