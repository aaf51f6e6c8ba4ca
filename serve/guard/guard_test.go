package guard_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/minillm/serve/guard"
)

var ok = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })

// get returns the answer to a request with headers "Name: value".
func get(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestKeys(t *testing.T) {
	h := guard.Keys(ok, []string{"alpha", "beta"}, "/health")
	for _, c := range []struct {
		path, header string
		status       int
	}{
		{"/v1/models", "Authorization: Bearer alpha", 200},
		{"/v1/models", "Authorization: bearer beta", 200},
		{"/v1/models", "Authorization: Bearer  beta ", 200},
		{"/v1/models", "X: y", 401},
		{"/v1/models", "Authorization: Bearer", 401},
		{"/v1/models", "Authorization: Bearer ", 401},
		{"/v1/models", "Authorization: Bearer alphabeta", 401},
		{"/v1/models", "Authorization: Basic alpha", 401},
		{"/v1/models", "Authorization: alpha", 401},
		{"/health", "X: y", 200},
		{"/health/", "X: y", 401},
	} {
		w := get(h, "GET", c.path, c.header)
		if w.Code != c.status {
			t.Errorf("%s with %q: status %d, want %d", c.path, c.header, w.Code, c.status)
		}
		if c.status == 401 && (w.Header().Get("WWW-Authenticate") != "Bearer" || !strings.Contains(w.Body.String(), "invalid_api_key")) {
			t.Errorf("%s with %q: %v %s", c.path, c.header, w.Header(), w.Body)
		}
	}
	if w := get(guard.Keys(ok, nil), "GET", "/"); w.Code != 200 {
		t.Errorf("without keys: status %d", w.Code)
	}
}

func TestReadKeys(t *testing.T) {
	keys, err := guard.ReadKeys(strings.NewReader("# ours\nalpha\n\n  beta \r\n"))
	if fmt.Sprint(keys) != "[alpha beta]" || err != nil {
		t.Errorf("%q, %v", keys, err)
	}
}

func TestOrigins(t *testing.T) {
	const page, other = "Origin: https://page.example", "Origin: https://other.example"
	some, err := guard.Origins(ok, []string{"https://page.example"})
	if err != nil {
		t.Fatal(err)
	}
	none, _ := guard.Origins(ok, nil)
	all, _ := guard.Origins(ok, []string{"*"})
	for _, c := range []struct {
		name    string
		h       http.Handler
		method  string
		headers []string
		status  int
		allow   string
	}{
		{"a program", none, "POST", nil, 200, ""},
		{"the page of the server itself", none, "POST", []string{"Origin: http://example.com", "Sec-Fetch-Site: same-origin"}, 200, ""},
		{"another site's page, without origins", none, "POST", []string{page, "Sec-Fetch-Site: cross-site"}, 403, ""},
		{"an old browser", none, "POST", []string{page}, 403, ""},
		{"reading only", none, "GET", []string{page, "Sec-Fetch-Site: cross-site"}, 200, ""},
		{"a page that is named", some, "POST", []string{page, "Sec-Fetch-Site: cross-site"}, 200, "https://page.example"},
		{"a page that is not", some, "POST", []string{other, "Sec-Fetch-Site: cross-site"}, 403, ""},
		{"any page", all, "POST", []string{other, "Sec-Fetch-Site: cross-site"}, 200, "https://other.example"},
		{"a browser that asks first", some, "OPTIONS", []string{page, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"}, 204, "https://page.example"},
	} {
		w := get(c.h, c.method, "/", c.headers...)
		if w.Code != c.status || w.Header().Get("Access-Control-Allow-Origin") != c.allow {
			t.Errorf("%s: status %d, origin %q; want %d, %q", c.name, w.Code, w.Header().Get("Access-Control-Allow-Origin"), c.status, c.allow)
		}
		if c.status == 204 && w.Header().Get("Access-Control-Allow-Headers") != "authorization" {
			t.Errorf("%s: %v", c.name, w.Header())
		}
	}
	for _, bad := range []string{"page.example", "https://page.example/", "https://", "null"} {
		if _, err := guard.Origins(ok, []string{bad}); err == nil {
			t.Errorf("origin %q was taken", bad)
		}
	}
}

// What stands in front of the keys sees the route that a mux behind them found.
func TestKeysKeepTheRoute(t *testing.T) {
	var mux http.ServeMux
	mux.Handle("GET /v1/models", ok)
	for _, keys := range [][]string{nil, {"alpha"}} {
		r := httptest.NewRequest("GET", "/v1/models", nil)
		r.Header.Set("Authorization", "Bearer alpha")
		guard.Keys(&mux, keys).ServeHTTP(httptest.NewRecorder(), r)
		if r.Pattern != "GET /v1/models" {
			t.Errorf("%d keys: route %q", len(keys), r.Pattern)
		}
	}
}

// A page whose name was made to point to this machine looks like the server's own.
func TestOriginsThatPointHere(t *testing.T) {
	h, _ := guard.Origins(ok, []string{"https://behind.example"})
	web := httptest.NewServer(h)
	defer web.Close()
	for _, c := range []struct {
		host, scheme string
		status       int
	}{
		{"localhost:80", "http", 200},
		{"page.localhost", "http", 200},
		{"127.0.0.1:8080", "http", 200},
		{"[::1]:8080", "http", 200},
		{"machine", "http", 200},
		{"machine.local", "http", 200},
		{"behind.example", "https", 200}, // a proxy on this machine, and told of
		{"evil.example", "http", 403},
		{"evil.example.:8080", "http", 403},
		{"localhost.evil.example", "http", 403},
	} {
		r, _ := http.NewRequest("POST", web.URL, nil)
		r.Host = c.host
		r.Header.Set("Origin", c.scheme+"://"+c.host)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", c.host, resp.StatusCode, c.status)
		}
	}
}

func TestLog(t *testing.T) {
	for _, c := range []struct{ given, kept string }{
		{"abc-1", "abc-1"}, {"", ""}, {"a b", ""}, {strings.Repeat("x", 129), ""}, {"é", ""},
	} {
		var lines bytes.Buffer
		h := guard.Log(ok, slog.New(slog.NewTextHandler(&lines, nil)))
		w := get(h, "GET", "/v1/models?secret=1", "X-Request-Id: "+c.given)
		id := w.Header().Get("X-Request-Id")
		if c.kept != "" && id != c.kept || len(id) < 5 || id == c.given && c.kept == "" {
			t.Errorf("given %q, answered %q", c.given, id)
		}
		line := lines.String()
		for _, want := range []string{"id=" + id, "method=GET", "path=/v1/models ", "status=200", "bytes=2", "broken_off=false"} {
			if !strings.Contains(line, want) {
				t.Errorf("no %q in %s", want, line)
			}
		}
		if strings.Contains(line, "secret") || strings.Count(line, "\n") != 1 {
			t.Errorf("logged %s", line)
		}
	}
}

func TestWatchersAreNotLogged(t *testing.T) {
	var lines bytes.Buffer
	h := guard.Log(ok, slog.New(slog.NewTextHandler(&lines, nil)))
	if get(h, "GET", "/health"); lines.Len() > 0 {
		t.Errorf("logged %s", &lines)
	}
}

func TestRecover(t *testing.T) {
	logger := slog.New(slog.DiscardHandler)
	h := http.NewServeMux()
	h.HandleFunc("/early", func(http.ResponseWriter, *http.Request) { panic("early") })
	h.HandleFunc("/late", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "part")
		http.NewResponseController(w).Flush()
		panic("late")
	})
	h.HandleFunc("/abort", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	h.Handle("/fine", ok)
	s := httptest.NewServer(guard.Log(guard.Recover(h, logger), logger))
	defer s.Close()
	for _, c := range []struct {
		path   string
		status int // 0: no answer at all
		broken bool
	}{{"/early", 500, false}, {"/late", 200, true}, {"/abort", 0, false}, {"/fine", 200, false}} {
		resp, err := http.Get(s.URL + c.path)
		if err != nil {
			if c.status != 0 {
				t.Errorf("%s: %v", c.path, err)
			}
			continue
		}
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != c.status || (err != nil) != c.broken {
			t.Errorf("%s: status %d, %v", c.path, resp.StatusCode, err)
		}
	}
}

func Example() {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") })
	s := httptest.NewServer(guard.Keys(h, []string{"secret"}))
	defer s.Close()
	r, _ := http.NewRequest("GET", s.URL, nil)
	without, _ := http.DefaultClient.Do(r)
	r.Header.Set("Authorization", "Bearer secret")
	with, _ := http.DefaultClient.Do(r)
	fmt.Println(without.StatusCode, with.StatusCode)
	// Output: 401 200
}
