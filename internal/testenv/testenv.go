// Package testenv finds the files that some tests need and that are not part of the module: golden data and real
// models. Where a file is absent the test is skipped with a message that says what was looked for. It also has the plain
// arithmetic by which logits are compared with golden ones.
package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

// files has the file name of each model that tests ask for.
var files = map[string]string{
	"smollm2":            "SmolLM2-135M-Instruct.Q4_1.gguf",
	"smollm2-f16":        "SmolLM2-135M-Instruct.F16.gguf",
	"smollm2-checkpoint": "SmolLM2-135M-Instruct", // a folder, of internal/checkpoint/testdata/make.py
	"qwen2.5-coder-0.5b": "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
	"gemma3-270m":        "gemma-3-270m-q4_k_m.gguf",
}

// Shared returns the path of name in the folder "shared" beside the module, or skips the test.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(shared(t), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs %s beside the module: %v", name, err)
	}
	return path
}

// Model returns the path of a model: of "smollm2", "qwen2.5-coder-0.5b", "gemma3-270m" or another of files. It looks in the
// folder that the environment variable MINILLM_MODELS names, in the user's cache and beside the module, and skips
// the test where it finds none.
func Model(t testing.TB, name string) string {
	t.Helper()
	file, ok := files[name]
	if !ok {
		t.Fatalf("testenv: no model is called %q", name)
	}
	for _, dir := range modelDirs(t) {
		path := filepath.Join(dir, file)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skipf("needs %s in one of %q", file, modelDirs(t))
	return ""
}

func modelDirs(t testing.TB) (dirs []string) {
	t.Helper()
	if dir := os.Getenv("MINILLM_MODELS"); dir != "" {
		dirs = append(dirs, dir)
	}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".cache", "minillm", "models"))
	}
	return append(dirs, filepath.Join(shared(t), "models"))
}

// shared is the folder beside the module; tests run in the folder of their package.
func shared(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared")
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("testenv: no go.mod above the working directory")
		}
		dir = up
	}
}
