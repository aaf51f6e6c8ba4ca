package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

func TestModel(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MINILLM_MODELS", dir)
	want := filepath.Join(dir, files["smollm2"])
	if err := os.WriteFile(want, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Model(t, "smollm2"); got != want {
		t.Errorf("found %s, not %s", got, want)
	}
}

func TestAbsent(t *testing.T) {
	inner := func(t *testing.T) {
		Shared(t, "no/such/file")
		t.Error("a file that is absent was found")
	}
	if !t.Run("shared", inner) {
		t.Error("the test was not skipped")
	}
	t.Run("model", func(t *testing.T) {
		t.Setenv("MINILLM_MODELS", "")
		t.Setenv("HOME", t.TempDir())
		t.Setenv("USERPROFILE", t.TempDir())
		Model(t, "gemma3-270m")
		t.Error("a model that is absent was found")
	})
}
