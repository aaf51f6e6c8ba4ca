package test

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/minillm/internal/tiny"
)

func writeTiny(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, tiny.GGUF(tiny.Config{}), 0o644); err != nil {
		t.Fatal(err)
	}
}

// listening starts the server and returns its URL.
func listening(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			return url
		}
	}
	t.Fatal("the server does not listen")
	return ""
}

func expect(t *testing.T, url string, status int) {
	t.Helper()
	client := http.Client{Timeout: 10 * time.Second}
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != status {
		t.Errorf("%s: %d, want %d", url, resp.StatusCode, status)
	}
}
