package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/minillm/examples/internal/open"
)

func call(t *testing.T, url, body string) (int, string) {
	t.Helper()
	get := func() (*http.Response, error) { return http.Get(url) }
	if body != "" {
		get = func() (*http.Response, error) {
			return http.Post(url, "application/json", strings.NewReader(body))
		}
	}
	resp, err := get()
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

func newService(t *testing.T) string {
	t.Helper()
	m, err := open.FrontDoor("")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(routes(m))
	t.Cleanup(func() { server.Close(); m.Close() })
	return server.URL
}

// Stories come as JSON, about whom they were ordered, several at a time.
func TestStories(t *testing.T) {
	url := newService(t)
	var wg sync.WaitGroup
	heroes := []string{"fox", "girl", "cat", "boy"}
	if testing.Short() {
		heroes = heroes[:2]
	}
	for _, hero := range heroes {
		wg.Go(func() {
			status, body := call(t, url+"/story", `{"hero": "`+hero+`", "seed": 1}`)
			var s story
			if err := json.Unmarshal([]byte(body), &s); err != nil || status != 200 {
				t.Errorf("%s: status %d, %v: %s", hero, status, err, body)
				return
			}
			if s.Hero != hero || !s.Finished || s.Words < 10 || !strings.Contains(strings.ToLower(s.Text), hero) {
				t.Errorf("%s: %+v", hero, s)
			}
			if _, again := call(t, url+"/story", `{"hero": "`+hero+`", "seed": 1}`); again != body {
				t.Errorf("%s: with the same seed %s, then %s", hero, body, again)
			}
		})
	}
	wg.Wait()
}

func TestBeside(t *testing.T) {
	url := newService(t)
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/healthz", "", 200, "ok"},
		{"/v1/models", "", 200, `"storyteller"`},
		{"/v1/completions", `{"prompt": "Once", "max_tokens": 3}`, 200, `"completion_tokens":3`},
		{"/story", `{"hero": ""}`, 400, "want"},
		{"/story", `{"hero": 3}`, 400, "want"},
		{"/story", `{"hero": "` + strings.Repeat("x", 5000) + `"}`, 400, "want"},
		{"/nothing", "", 404, "not found"},
	} {
		if status, body := call(t, url+c.path, c.body); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %.40s: status %d, want %d and %s: %s", c.path, c.body, status, c.status, c.want, body)
		}
	}
}
