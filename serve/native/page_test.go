package native

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/minillm/internal/fake"
)

func fetch(t *testing.T, url string) (body string, h http.Header) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("status %d, %v: %s", resp.StatusCode, err, b)
	}
	return string(b), resp.Header
}

// The page is one file: it loads nothing, and a browser would not let it.
func TestPage(t *testing.T) {
	s, _ := newServer(t, &fake.Model{})
	body, h := fetch(t, s.URL+"/")
	if h.Get("Content-Type") != "text/html; charset=utf-8" || strings.Count(h.Get("Content-Security-Policy"), "sha256-") != 2 {
		t.Errorf("headers %v", h)
	}
	for _, external := range []string{"http://", "https://", "src=", "<link", "@import", "url(", "style=\"", "innerHTML", "eval("} {
		if strings.Contains(body, external) {
			t.Errorf("the page has %q", external)
		}
	}
}

func TestDescription(t *testing.T) {
	s, _ := newServer(t, &fake.Model{})
	body, h := fetch(t, s.URL+"/openapi.json")
	var d struct {
		OpenAPI    string
		Components struct {
			Schemas struct {
				Token struct{ Maximum int }
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &d); err != nil || d.OpenAPI != "3.1.0" || h.Get("Content-Type") != "application/json" {
		t.Errorf("%v, version %s, %v", err, d.OpenAPI, h)
	}
	if d.Components.Schemas.Token.Maximum != 259 {
		t.Errorf("the last token is %d, want 259", d.Components.Schemas.Token.Maximum)
	}
}

func TestBelow(t *testing.T) {
	for _, n := range []int{1, 2, 9, 10, 11, 99, 100, 101, 260, 1000, 1234, 2000} {
		re := regexp.MustCompile("^(" + below(n) + ")$")
		for i := range 3000 {
			if got := re.MatchString(strconv.Itoa(i)); got != (i < n) {
				t.Fatalf("below %d: %d is %v", n, i, got)
			}
		}
		if re.MatchString("00") || re.MatchString("") || re.MatchString("01") {
			t.Errorf("below %d: no number matches", n)
		}
	}
}
