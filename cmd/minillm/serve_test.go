package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/minillm"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/serve/native"
	"example.com/minillm/serve/openai"
)

// newServer serves a tiny model with all routes.
func newServer(t *testing.T) (*httptest.Server, *minillm.Model) {
	t.Helper()
	w := newWatch("tiny", slog.New(slog.DiscardHandler))
	m, err := minillm.OpenBytes(tiny.GGUF(tiny.Config{}), minillm.Options{Threads: 1, KVPositions: 4096, Observer: w.observer()})
	if err != nil {
		t.Fatal(err)
	}
	s := &server{names: []string{"tiny"}}
	web := httptest.NewServer(s.routes(m, w.metrics))
	t.Cleanup(func() { web.Close(); m.Close() })
	return web, m
}

func fetch(t *testing.T, method, url, body string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// /openapi.json has every route of the server, and no other.
func TestEveryRouteIsDescribed(t *testing.T) {
	web, m := newServer(t)
	_, body := fetch(t, "GET", web.URL+"/openapi.json", "")
	var d struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for path, methods := range d.Paths {
		for method := range methods {
			described[strings.ToUpper(method)+" "+path] = true
		}
	}
	routes := slices.Concat(native.New(m.Text(), nil, "").Routes(), openai.New(m.Text(), m.Tokenizer(), openai.Options{}).Routes(), []string{"GET /metrics"})
	for _, r := range routes {
		r = strings.NewReplacer("{$}", "", "...}", "}").Replace(r)
		if !described[r] {
			t.Errorf("%s is not described", r)
		}
		delete(described, r)
	}
	for r := range maps.Keys(described) {
		t.Errorf("%s is described and is not there", r)
	}
}

func TestServe(t *testing.T) {
	web, _ := newServer(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/health", "", 200, `"ok"`},
		{"POST", "/generate", `{"prompt": "hi", "max_new_tokens": 3}`, 200, `"output_tokens":3`},
		{"POST", "/v1/chat/completions", `{"messages": [{"role": "user", "content": "hi"}], "max_tokens": 3}`, 200, `"completion_tokens":3`},
		{"POST", "/v1/completions", `{"prompt": "hi", "max_tokens": 3, "ignore_eos": true}`, 200, `"completion_tokens":3`},
		{"POST", "/v1/embeddings", `{"input": "hi"}`, 200, `"embedding":[`},
		{"GET", "/v1/models/tiny", "", 200, `"max_model_len":512`},
		{"GET", "/metrics", "", 200, `engine="0",model_name="tiny",num_gpu_blocks="`},
		{"GET", "/", "", 200, "<!doctype html>"},
		{"GET", "/nothing", "", 404, `"not_found"`},
		{"DELETE", "/v1/models", "", 405, `"method_not_allowed"`},
		{"POST", "/metrics", "", 405, `"method_not_allowed"`},
	} {
		if status, answer := fetch(t, c.method, web.URL+c.path, c.body); status != c.status || !strings.Contains(answer, c.want) {
			t.Errorf("%s %s: status %d, want %d and %s: %.300s", c.method, c.path, status, c.status, c.want, answer)
		}
	}
}

func TestServeFlags(t *testing.T) {
	for _, args := range [][]string{
		{"serve", "x"},
		{"serve", "--model", "x", "--tls-cert", "c"},
		{"serve", "--model", "x", "--log", "loud"},
		{"serve", "--model", "x", "--api-key", ""},
		{"serve", "--model", "x", "--kv", "much"},
		{"serve", "--model", "x", "--parallel", "0"},
		{"serve", "--model", "x", "--context", "-1"},
		{"serve", "--model", "x", "--drain", "-1s"},
		{"serve", "--model", "x", "--name", ""},
		{"serve", "--model", "x", "--cors-origin", "example.org"},
	} {
		if code := execute(t.Context(), args); code != 2 {
			t.Errorf("%v: exit status %d, want 2", args, code)
		}
	}
	for _, args := range [][]string{
		{"serve", "--model", "x", "--addr", "127.0.0.1:0", "--log", "off"},
		{"serve", "--model", "x", "--api-key-file", "missing"},
		{"serve", "--model", "x", "--addr", "nowhere:nothing"},
		{"serve", "--addr", "127.0.0.1:0", "--tls-cert", "missing", "--tls-key", "missing"},
	} {
		if code := execute(t.Context(), args); code != 1 {
			t.Errorf("%v: exit status %d, want 1", args, code)
		}
	}
}
