package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"model", "model", 0}, {"modle", "model", 1}, {"mode", "model", 1},
		{"Model", "model", 0}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"größe", "grösse", 2},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

// errorOf runs a command line and returns what it says went wrong, in one line.
func errorOf(t *testing.T, args ...string) (string, int) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = w
	defer func() { os.Stderr = stderr }()
	_, code := output(t, t.Context(), args...)
	w.Close()
	b := make([]byte, 1<<16)
	n, _ := r.Read(b)
	if said := string(b[:n]); strings.Count(said, "\n") == 1 {
		return said, code
	}
	t.Errorf("%q: want one line, got %q", args, b[:n])
	return "", code
}

func TestWrongUseIsMended(t *testing.T) {
	for line, want := range map[string]string{
		"rnu":                      "did you mean: minillm run?",
		"ser":                      "did you mean: minillm serve?",
		"frobnicate":               "see: minillm --help",
		"bench engin":              "did you mean: minillm bench engine?",
		"run --modle x hi":         "did you mean --model?",
		"run -model x hi":          "did you mean --model?",
		"chat --temprature 1":      "did you mean --temperature?",
		"serve --max-tokens-limit": "see: minillm serve --help",
		"run a b":                  "want one prompt",
		"--threads 2":              "did you mean: minillm",
		"run --threads x hi":       "invalid argument",
		"run --model hf.co/a hi":   "want owner/repo",
		"pull owner":               "want owner/repo",
		"help rnu":                 "did you mean: minillm run?",
		"help bench frobnicate":    "see: minillm bench --help",
		"run --stop= hi":           "must not be empty",
		"run --raw --system x hi":  "exclude each other",

		"bench serve --url http://localhost --extra null --ignore-eos": "want a JSON object",
	} {
		if said, code := errorOf(t, strings.Fields(line)...); code != 2 || !strings.Contains(said, want) {
			t.Errorf("%s: status %d, want 2 and %q: %s", line, code, want, said)
		}
	}
}

func TestNearestModel(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	some := filepath.Join(dir, "[some]")
	for _, name := range []string{"gemma-270m.gguf", "qwen-0.5b-q4_k_m.gguf", "qwen-0.5b-q8_0.gguf", "smol-q4_1.gguf", "qwen.txt"} {
		if err := errors.Join(os.MkdirAll(some, 0o755), os.MkdirAll(none, 0o755), os.WriteFile(filepath.Join(some, name), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		filepath.Join(some, "qwen-0.5b-q4_0.gguf"): "nearest of the 4 models in " + some + ": qwen-0.5b-q8_0.gguf, qwen-0.5b-q4_k_m.gguf, ",
		some:                              "nearest of the 4 models in " + some,
		filepath.Join(none, "x.gguf"):     "there is no .gguf file in " + none,
		filepath.Join(dir, "a", "x.gguf"): "there is no folder " + filepath.Join(dir, "a"),
	} {
		for _, args := range [][]string{{"run", "--model", path, "hi"}, {"tokenize", "--model", path, "hi"}, {"inspect", path}, {"bench", "engine", "--model", path}} {
			if said, code := errorOf(t, args...); code != 1 || !strings.Contains(said, want) {
				t.Errorf("%v: status %d, want 1 and %q: %s", args, code, want, said)
			}
		}
	}
}

// Shells ask the command itself what may follow.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"run --model ":       "gguf\n:8\n", // files of that extension
		"inspect ":           "gguf\n:8\n",
		"run --kv-format ":   "i16\nq8\nf32\n:4\n",
		"bench ":             "engine",
		"run --temp":         "--temperature",
		"bench engine --bat": "--batch",
	} {
		out, code := output(t, t.Context(), append([]string{"__complete"}, strings.Split(line, " ")...)...)
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%q: status %d, want %q: %s", line, code, want, out)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out, code := output(t, t.Context(), "completion", shell); code != 0 || !strings.Contains(out, "minillm") {
			t.Errorf("%s: status %d: %.100s", shell, code, out)
		}
	}
}

func TestHelpIsShort(t *testing.T) {
	out, code := output(t, t.Context())
	if n := strings.Count(out, "\n"); code != 0 || n > 32 || strings.Count(out, "\n  minillm ") < 5 {
		t.Errorf("status %d, %d lines: %s", code, n, out)
	}
}
