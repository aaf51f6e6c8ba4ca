package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun looks at what does not depend on the machine: measure compares the
// tokens itself.
func TestRun(t *testing.T) {
	results, err := measure("")
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(ways) {
		t.Fatalf("%d results", len(results))
	}
	for i, r := range results {
		s := r.Summary
		// Of the 200 tokens and more that prompts share, three blocks of 64 are whole.
		cached := 0
		if ways[i].share {
			cached = 12 * 192
		}
		if s.Answered != 12 || s.CachedTokens != cached || s.InputTokens < 12*240 || s.OutputTokens != results[0].Summary.OutputTokens {
			t.Errorf("%s: %d answered, %d of %d input tokens cached, %d output tokens", r.Name, s.Answered, s.CachedTokens, s.InputTokens, s.OutputTokens)
		}
		if s.Concurrency > 2*places || len(s.Flaws) > 0 || !s.PerToken {
			t.Errorf("%s: %d at once, flaws %v", r.Name, s.Concurrency, s.Flaws)
		}
	}
	if slow, fast := results[0].Summary, results[1].Summary; slow.OutputRate >= fast.OutputRate {
		t.Errorf("%.1f tokens/s without a KV cache, %.1f with one", slow.OutputRate, fast.OutputRate)
	}
}

func TestPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "p.html")
	var out strings.Builder
	if err := run(&out, "", page); err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range ways {
		if !strings.Contains(out.String(), way.name) || !strings.Contains(string(html), way.name) {
			t.Errorf("%s is missing", way.name)
		}
	}
	if n := strings.Count(out.String(), "\n"); n != len(ways)+1 {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
}
