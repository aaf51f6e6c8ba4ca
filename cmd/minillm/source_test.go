package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where no model is named, the embedded one is meant.
func TestEmbedded(t *testing.T) {
	text := filepath.Join(t.TempDir(), "t.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("Once upon a time there was a little fox. ", 20)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"run", "--json", "--max-tokens", "4", "Hello!"},
		{"eval", "--json", "--file", text, "--window", "32", "--limit", "64"},
		{"bench", "engine", "--json", "--prompt", "8", "--gen", "2", "--batch", "1", "--depth", "0", "--reps", "1"},
		{"inspect", "--json"},
	} {
		var result map[string]any
		out, code := output(t, t.Context(), args...)
		if err := json.Unmarshal([]byte(out), &result); err != nil || code != 0 {
			t.Errorf("%v: status %d, %v: %s", args, code, err, out)
		}
	}
	ids, code := output(t, t.Context(), "tokenize", "Hello there!")
	if back, _ := output(t, t.Context(), "tokenize", "--decode", ids); code != 0 || back != "Hello there!\n" {
		t.Errorf("status %d, %s is %q", code, ids, back)
	}
}

// TestFolder takes a folder for a model in safetensors: it has the folder's name, and an error is about its files.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "Model-0.5B")
	config := filepath.Join(dir, "config.json")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(config, []byte(`{}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, dir + "/", config} {
		if got := (source{path}).name(); got != "Model-0.5B" {
			t.Errorf("%s is called %s", path, got)
		}
	}
	if said, code := errorOf(t, "inspect", dir); code == 0 || !strings.Contains(said, config) || strings.Contains(said, ".gguf") {
		t.Errorf("status %d, %q", code, said)
	}
}
