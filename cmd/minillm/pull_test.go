package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/minillm/internal/tiny"
)

// tinyHub has one repository with one model.
func tinyHub(t *testing.T) *httptest.Server {
	t.Helper()
	model := tiny.GGUF(tiny.Config{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/models/owner/tiny/tree/main", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `[{"type":"file","path":"tiny-F32.gguf","oid":"0","size":9,"lfs":{"oid":"%x","size":%d}}]`, sha256.Sum256(model), len(model))
	})
	mux.HandleFunc("GET /owner/tiny/resolve/main/tiny-F32.gguf", func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(model)))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} { // whichever this system goes by
		t.Setenv(name, t.TempDir())
	}
	t.Setenv("HF_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("HF_TOKEN", "")
	return server
}

// A model is fetched once; from then on it is there without a network.
func TestPull(t *testing.T) {
	server := tinyHub(t)
	out, code := output(t, t.Context(), "pull", "owner/tiny", "--hub", server.URL)
	path := strings.TrimSpace(out)
	if info, err := os.Stat(path); code != 0 || err != nil || info.Size() != int64(len(tiny.GGUF(tiny.Config{}))) {
		t.Fatalf("status %d, %v: %s", code, err, out)
	}
	server.Close()
	for _, model := range []string{"owner/tiny", "hf.co/owner/tiny", "owner/tiny:F32", "hf.co/owner/tiny:tiny-F32.gguf", path} {
		out, code := output(t, t.Context(), "run", "--raw", "--model", model, "--max-tokens", "3", "--json", "hi")
		var r runResult
		if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil || r.CompletionTokens == 0 {
			t.Errorf("%s: status %d, %v: %s", model, code, err, out)
		}
	}
	for _, args := range [][]string{{"pull", "owner/tiny"}, {"run", "--model", "owner/other", "hi"}} {
		if said, code := errorOf(t, args...); code != 1 || !strings.Contains(said, "127.0.0.1:1") {
			t.Errorf("%v: status %d: %s", args, code, said)
		}
	}
}

func TestModelIsFetched(t *testing.T) {
	server := tinyHub(t)
	out, code := output(t, t.Context(), "tokenize", "--model", "hf.co/owner/tiny:F32", "--hub", server.URL, "hi")
	if code != 0 || strings.TrimSpace(out) == "" {
		t.Errorf("status %d: %s", code, out)
	}
}

func TestOnHub(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("models", 0o755); err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]bool{
		"hf.co/owner/repo": true, "https://huggingface.co/owner/repo": true, "owner/repo": true, "owner/repo:Q4_K_M": true, "owner/repo:f.gguf": true,
		"models/repo": false, "model.gguf": false, "folder/model.gguf": false, "./repo": false, "../repo": false, "/etc/repo": false,
		"~/repo": false, "a/b/c": false, filepath.Join(t.TempDir(), "x"): false, "repo": false,
	} {
		if got := onHub(model); got != want {
			t.Errorf("%s: %v, want %v", model, got, want)
		}
	}
}
