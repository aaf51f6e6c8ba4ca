package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A result that cannot be written is a failure, whichever command has it.
func TestResultsThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	text := filepath.Join(t.TempDir(), "t.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("a fox and a hen ", 20)), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = full
	defer func() { os.Stdout = stdout }()
	for _, line := range []string{
		"run --max-tokens 2 hi", "run --max-tokens 2 --json hi", "tokenize hi", "tokenize --decode [300]", "inspect", "inspect --json", "version",
		"eval --window 16 --limit 32 --file " + text, "eval --window 16 --limit 32 --json --file " + text,
		"bench engine --prompt 8 --gen 2 --batch 1 --depth 0 --reps 1", "bench engine --prompt 8 --gen 2 --batch 1 --depth 0 --reps 1 --json",
	} {
		if code := execute(t.Context(), strings.Fields(line)); code != 1 {
			t.Errorf("%s: status %d, want 1", line, code)
		}
	}
}

// A file that cannot be written costs nothing of what was measured.
func TestBenchServePrintsWhatItCannotSave(t *testing.T) {
	out, code := output(t, t.Context(), "bench", "serve", "--url", chatServer(t, 0), "--requests", "2", "--output", "3",
		"--save", filepath.Join(t.TempDir(), "missing", "x.json"))
	if code != 1 || !strings.Contains(out, "2 of 2 requests answered") {
		t.Errorf("status %d: %s", code, out)
	}
}

// What was left out leaves an empty list.
func TestBenchEngineWithoutRows(t *testing.T) {
	if out, code := output(t, t.Context(), "bench", "engine", "--prompt", "5000", "--depth", "5000", "--json"); code != 0 || !strings.Contains(out, `"rows":[]`) {
		t.Errorf("status %d: %s", code, out)
	}
}
