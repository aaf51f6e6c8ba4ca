package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/minillm/bench"
)

// chatServer streams as many words as it is asked for, 2 ms apart. It fails
// every request whose number bad divides.
func chatServer(t *testing.T, bad int64) string {
	t.Helper()
	var asked atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"data":[{"id":"words"}]}`) })
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model string
			Max   int `json:"max_tokens"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Model != "words" {
			t.Errorf("request %+v, %v", q, err)
		}
		if bad > 0 && asked.Add(1)%bad == 0 {
			http.Error(w, "busy", http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for range q.Max {
			time.Sleep(2 * time.Millisecond)
			io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n")
			w.(http.Flusher).Flush()
		}
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n", q.Max)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// output runs a command line and returns what it prints and its exit status.
func output(t *testing.T, ctx context.Context, args ...string) (string, int) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	defer func() { os.Stdout = stdout }()
	read := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(r)
		read <- b
	}()
	code := execute(ctx, args)
	w.Close()
	return string(<-read), code
}

func TestBenchServe(t *testing.T) {
	url, dir := chatServer(t, 4), t.TempDir()
	a, b, page := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json"), filepath.Join(dir, "p.html")
	out, code := output(t, t.Context(), "bench", "serve", "--url", url, "--requests", "8", "--concurrency", "2", "--output", "6",
		"--limit-e2e", "10s", "--json", "--save", a, "--report", page)
	var r bench.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || strings.Count(out, "\n") != 1 {
		t.Fatalf("status %d, %v: %s", code, err, out)
	}
	s := r.Summary
	if s.Requests != 8 || s.Answered != 6 || s.Errors["http 429"] != 2 || s.OutputTokens != 36 || s.Good != 6 || s.Concurrency > 2 {
		t.Errorf("%+v", s)
	}
	if r.Config["output"] != "6" || r.Config["requests"] != "8" || r.Config["url"] != "" || !strings.HasSuffix(r.Name, " words") {
		t.Errorf("%q %v", r.Name, r.Config)
	}
	if saved, err := os.ReadFile(a); err != nil || string(saved) != out {
		t.Errorf("saved %d bytes, printed %d: %v", len(saved), len(out), err)
	}
	if html, err := os.ReadFile(page); err != nil || !bytes.Contains(html, []byte("2 of 8 requests failed: http 429 (busy)")) {
		t.Errorf("page of %d bytes, %v", len(html), err)
	}

	out, code = output(t, t.Context(), "bench", "serve", "--url", url, "--requests", "20", "--rate", "200", "--output", "3-9", "--save", b)
	if code != 0 || !strings.HasPrefix(out, "5 of 20 requests FAILED") || !strings.Contains(out, "TTFT") {
		t.Errorf("status %d:\n%s", code, out)
	}
	out, code = output(t, t.Context(), "bench", "compare", a, b, "--report", page)
	if code != 0 || !strings.Contains(out, "B/A") || !strings.Contains(out, `differs: rate: "0", "200"`) {
		t.Errorf("status %d:\n%s", code, out)
	}
	if html, err := os.ReadFile(page); err != nil || !bytes.Contains(html, []byte("Second divided by first")) {
		t.Errorf("page of %d bytes, %v", len(html), err)
	}
}

func TestBenchServeSweep(t *testing.T) {
	out, code := output(t, t.Context(), "bench", "serve", "--url", chatServer(t, 0), "--sweep", "--rate", "2000", "--sweep-time", "1ms",
		"--output", "2", "--limit-e2e", "1ns", "--json")
	var r bench.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || len(r.Sweep) < 2 || r.Sweep[0].Held || r.Summary.Answered != 16 {
		t.Errorf("status %d, %v, %d rates", code, err, len(r.Sweep))
	}
}

func TestBenchServeFromFiles(t *testing.T) {
	dir, url := t.TempDir(), chatServer(t, 0)
	file := filepath.Join(dir, "p.jsonl")
	lines := `{"at": 5, "prompt": "one", "max_tokens": 2}` + "\n" + `{"at": 5.01, "prompt": "two", "max_tokens": 3}` + "\n"
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	for flags, tokens := range map[string]int{"--replay": 5, "--requests 4 --prompts": 10} {
		args := append(strings.Fields("bench serve --json --url "+url+" "+flags), file)
		out, code := output(t, t.Context(), args...)
		var r bench.Result
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Summary.OutputTokens != tokens {
			t.Errorf("%s: status %d, %v, %d tokens", flags, code, err, r.Summary.OutputTokens)
		}
	}
}

// TestBenchServeInterrupted: what was measured is printed.
func TestBenchServeInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	out, code := output(t, ctx, "bench", "serve", "--url", chatServer(t, 0), "--requests", "5000", "--input", "1", "--output", "4", "--json")
	var r bench.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 1 || r.Summary.Answered == 0 || r.Summary.Failed != 0 {
		t.Errorf("status %d, %v: %+v", code, err, r.Summary)
	}
}

func TestBenchServeNoServer(t *testing.T) {
	out, code := output(t, t.Context(), "bench", "serve", "--url", "http://127.0.0.1:1", "--requests", "3", "--json")
	var r bench.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 1 || r.Summary.Errors[bench.Connect] != 3 {
		t.Errorf("status %d, %v: %s", code, err, out)
	}
}

func TestBenchServeWrongUse(t *testing.T) {
	for _, args := range []string{
		"", "--url localhost:8080", "--url http://a --requests 0", "--url http://a --concurrency 0", "--url http://a --rate -1",
		"--url http://a --input 0", "--url http://a --output 9-3", "--url http://a --output x", "--url http://a --prefix 240",
		"--url http://a --even", "--url http://a --burstiness 2", "--url http://a --sweep", "--url http://a --rate 1 --replay f",
		"--url http://a --extra {", "--url http://a --limit-ttft -1s", "--url http://a --time -1s", "--url http://a --stall 0s",
		"--url http://a --sweep --limit-e2e 1s --time 1s", "--url http://a --prefix-share 2", "--url http://a --rate 1 --ramp 1s", "--url http://a b",
		"--url http://a --rate 1 --ramp-to 2", "--url http://a --prompts f --input 9", "--url http://a --replay f --requests 9",
	} {
		if out, code := output(t, t.Context(), append([]string{"bench", "serve"}, strings.Fields(args)...)...); code != 2 || out != "" {
			t.Errorf("%q: status %d, %q", args, code, out)
		}
	}
	if _, code := output(t, t.Context(), "bench", "compare", "a.json"); code != 2 {
		t.Errorf("compare of one file: status %d", code)
	}
	if _, code := output(t, t.Context(), "bench", "compare", "no.json", "such.json"); code != 1 {
		t.Errorf("compare of files that are not there: status %d", code)
	}
}

func TestProgressText(t *testing.T) {
	got := progressText(bench.Progress{Elapsed: 2 * time.Second, Requests: 9, Sent: 5, Answered: 3, Failed: 1, Tokens: 100, TTFT: 150 * time.Millisecond})
	if want := "2s  3 of 9 answered, 1 under way, 50.0 tokens/s, TTFT 0.15 s, 1 FAILED"; got != want {
		t.Errorf("%q", got)
	}
}
