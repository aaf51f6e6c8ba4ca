package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/minillm/internal/tiny"
)

// The test binary is the command, too, for tests that send it signals.
func TestMain(m *testing.M) {
	if os.Getenv("MINILLM_TEST_COMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

// Ctrl-C ends every command within moments: with status 0 where that is the way
// to end it, else with 1 and a line that says so.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sends signals")
	}
	over := make(chan bool)
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch { // of what is asked of a hub it sends the beginning
		case strings.HasSuffix(r.URL.Path, "/slow/tree/main"):
			fmt.Fprintf(w, `[{"type":"file","path":"m.gguf","size":1,"lfs":{"oid":"%064x","size":100000}}]`, 1)
			return
		case strings.Contains(r.URL.Path, "/slow/resolve/"):
			w.Write(make([]byte, 1000))
			w.(http.Flusher).Flush()
		}
		<-over
	}))
	t.Cleanup(func() { close(over); silent.Close() })
	model, text := filepath.Join(t.TempDir(), "m.gguf"), filepath.Join(t.TempDir(), "t.txt")
	if err := errors.Join(os.WriteFile(model, tiny.GGUF(tiny.Config{}), 0o644), os.WriteFile(text, []byte(strings.Repeat("words and words ", 1<<16)), 0o644)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, c := range []struct {
		line   string
		ready  string // is on its stderr or stdout when it is under way; else some time passes
		status int
	}{
		{"run --model MODEL -", "", 1},
		{"tokenize --model MODEL -", "", 1},
		{"chat --model MODEL", "> ", 0},
		{"serve --model MODEL --addr 127.0.0.1:0 --log off", "chat page", 0},
		{"bench engine --model MODEL --reps 1000000000 --gen 2 --batch 1 --depth 0 --prompt 8", "", 1},
		{"bench serve --url " + silent.URL + " --model m", "", 1},
		{"eval --model MODEL --file TEXT --window 64 --limit 1000000", "perplexity", 1},
		{"pull owner/repo --hub " + silent.URL, "", 1},
		{"pull owner/slow --hub " + silent.URL, "", 1},
		{"run --model owner/repo --hub " + silent.URL + " hi", "", 1},
	} {
		t.Run(strings.Fields(c.line)[0], func(t *testing.T) {
			t.Parallel()
			line := strings.NewReplacer("MODEL", model, "TEXT", text).Replace(c.line)
			status, said := interrupt(t, strings.Fields(line), c.ready)
			if strings.Contains(line, "/slow") && !strings.Contains(said, "goes on from there") {
				t.Errorf("%s: %s", line, said)
			}
			if status != c.status || status == 1 && !strings.Contains(said, "interrupted") {
				t.Errorf("%s: status %d, want %d: %s", c.line, status, c.status, said)
			}
		})
	}
}

// interrupt starts a command, interrupts it when it is ready, and returns how
// it ended.
func interrupt(t *testing.T, args []string, ready string) (status int, said string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "MINILLM_TEST_COMMAND=1")
	stdin, err := cmd.StdinPipe() // stays open, as a terminal does
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	switch err := cmd.Start(); {
	case errors.Is(err, syscall.ENOEXEC):
		t.Skip("an emulated program cannot start itself")
	case err != nil:
		t.Fatal(err)
	}
	seen := make(chan string, 1)
	var all bytes.Buffer
	go watchFor(io.TeeReader(r, &all), ready, seen)
	if ready == "" {
		time.Sleep(500 * time.Millisecond)
	} else {
		<-seen
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	cmd.Wait()
	w.Close()
	if !late.Stop() {
		t.Errorf("%q goes on", args)
	}
	<-seen
	return cmd.ProcessState.ExitCode(), all.String()
}

// watchFor tells when a text has come, and when all has.
func watchFor(r io.Reader, text string, seen chan<- string) {
	b := bufio.NewReader(r)
	var said strings.Builder
	for {
		c, err := b.ReadByte()
		if err != nil {
			seen <- ""
			return
		}
		said.WriteByte(c)
		if text != "" && strings.Contains(said.String(), text) {
			text = ""
			seen <- ""
		}
	}
}
