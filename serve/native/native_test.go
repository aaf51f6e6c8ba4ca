package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
	"example.com/minillm/serve"
	"example.com/minillm/transformer"
)

// newServer serves a fake model, without a template: prompts are raw text.
func newServer(t *testing.T, m *fake.Model) (*httptest.Server, *serve.Engine) {
	t.Helper()
	cache, err := kvcache.NewContiguous(fake.Shape, 4, 128, kvcache.I16)
	if err != nil {
		t.Fatal(err)
	}
	e := serve.New(batch.NewRunner(m), batch.NewContinuous(cache, 4), serve.Options{})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); e.Run(ctx) }()
	s := httptest.NewServer(New(serve.Text{Engine: e, Tokenizer: fake.Bytes{}}, nil, "fake"))
	t.Cleanup(func() { s.Close(); stop(); <-done })
	return s, e
}

func post(t *testing.T, url, body string) (status int, answer string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
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

func TestGenerate(t *testing.T) {
	s, _ := newServer(t, &fake.Model{Script: fake.Say("Hello 🦙!", 2)})
	for _, cache := range []bool{true, false} {
		status, body := post(t, s.URL+"/generate", fmt.Sprintf(`{"prompt": "hi", "use_cache": %v}`, cache))
		var a answer
		if err := json.Unmarshal([]byte(body), &a); err != nil || status != http.StatusOK {
			t.Fatalf("status %d, %v: %s", status, err, body)
		}
		if a.Text != "Hello 🦙!" || a.InputTokens != 2 || a.OutputTokens != 12 || a.FinishReason != "stop" || a.UseCache != cache {
			t.Errorf("got %+v", a)
		}
		if a.TTFT <= 0 || a.Latency < a.TTFT || a.TokensPerSecond <= 0 {
			t.Errorf("times that can't be: %+v", a)
		}
	}
}

func TestStreamIsGenerateInPieces(t *testing.T) {
	s, _ := newServer(t, &fake.Model{
		Script: fake.Say("你好, world", 2),
		Cost:   func([]transformer.Chunk) time.Duration { return 5 * time.Millisecond },
	})
	resp, err := http.Post(s.URL+"/stream", "application/json", strings.NewReader(`{"prompt": "hi"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	var text strings.Builder
	var reads int
	buf := make([]byte, 1024)
	for {
		n, err := resp.Body.Read(buf)
		text.Write(buf[:n])
		if n > 0 {
			reads++
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if text.String() != "你好, world" || reads < 2 {
		t.Errorf("got %q in %d chunks", text.String(), reads)
	}
}

func TestBadRequests(t *testing.T) {
	s, _ := newServer(t, &fake.Model{Script: fake.Say("ok", 2)})
	for _, c := range []struct {
		body   string
		status int
		names  string // what the message must name
	}{
		{`{"a":`, 400, "JSON"},
		{``, 400, "JSON"},
		{`[]`, 400, "array"},
		{`null`, 400, "null"},
		{`"x"`, 400, "string"},
		{`{}`, 400, "prompt"},
		{`{"prompt": null}`, 400, "prompt"},
		{`{"prompt": 7}`, 400, "prompt"},
		{`{"prompt": ""}`, 422, "prompt"},
		{`{"prompt": "hi", "max_new_tokens": 0}`, 422, "max_new_tokens"},
		{`{"prompt": "hi", "max_new_tokens": 513}`, 422, "max_new_tokens"},
		{`{"prompt": "hi", "max_new_tokens": -1}`, 422, "max_new_tokens"},
		{`{"prompt": "hi", "max_new_tokens": -32}`, 422, "max_new_tokens"},
		{`{"prompt": "hi", "max_new_tokens": 2147483647}`, 422, "max_new_tokens"},
		{`{"prompt": "hi", "max_new_tokens": 9223372036854775807}`, 422, "max_new_tokens"},
		{`{"prompt": "hi", "max_new_tokens": 1e308}`, 422, "max_new_tokens"},
		{`{"prompt": "hi", "max_new_tokens": 1e999}`, 422, "max_new_tokens"},
		{`{"prompt": "hi", "max_new_tokens": 1.5}`, 400, "max_new_tokens"},
		{`{"prompt": "hi", "max_new_tokens": "x"}`, 400, "max_new_tokens"},
		{`{"prompt": "hi", "max_new_tokens": null}`, 200, ""},
		{`{"prompt": "hi", "temperature": NaN}`, 400, "JSON"},
		{`{"prompt": "hi", "temperature": 3}`, 422, "temperature"},
		{`{"prompt": "hi", "temperature": "hot"}`, 400, "temperature"},
		{`{"prompt": "hi", "top_k": 0}`, 422, "top_k"},
		{`{"prompt": "hi", "top_k": 101}`, 422, "top_k"},
		{`{"prompt": "hi", "top_p": 2}`, 422, "top_p"},
		{`{"prompt": "hi", "seed": 1.5}`, 400, "seed"},
		{`{"prompt": "hi", "seed": -1}`, 200, ""},
		{`{"prompt": "hi", "stop": [null]}`, 400, "stop"},
		{`{"prompt": "hi", "stop": [` + strings.Repeat(`"x",`, 16) + `"x"]}`, 422, "stop"},
		{`{"prompt": "hi", "use_cache": "no"}`, 400, "use_cache"},
		{`{"prompt": "hi", "system": ""}`, 200, ""},
		{`{"prompt": "hi", "system": "Be brief."}`, 400, "template"}, // this model has none
		{`{"prompt": "` + strings.Repeat("x", 200) + `"}`, 400, "128"},
		{`{"prompt": "hi", "deep": ` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`, 400, "deep"},
		{`{"prompt": "hi", "system": "` + strings.Repeat("x", 2<<20) + `"}`, 413, "larger"},
		{`{"prompt": ` + strings.Repeat("9", 100000) + `}`, 400, "prompt"},
	} {
		for _, path := range []string{"/generate", "/stream"} {
			status, body := post(t, s.URL+path, c.body)
			if status != c.status {
				t.Errorf("%s %.80s: status %d, want %d: %.200s", path, c.body, status, c.status, body)
			}
			if c.status == 200 {
				continue
			}
			var e struct {
				Error struct{ Message, Type string }
			}
			if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error.Type == "" || len(body) > 4096 {
				t.Errorf("%s %.80s: %d bytes that are no error: %.200s", path, c.body, len(body), body)
			}
			if !strings.Contains(e.Error.Message, c.names) {
				t.Errorf("%s %.80s: %q does not name %q", path, c.body, e.Error.Message, c.names)
			}
		}
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	s, _ := newServer(t, &fake.Model{})
	for _, c := range []struct {
		method, path string
		status       int
	}{{"GET", "/nothing", 404}, {"GET", "/generate", 405}, {"DELETE", "/health", 405}, {"GET", "/health", 200}} {
		r, err := http.NewRequest(c.method, s.URL+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.status || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: status %d as %s, want %d", c.method, c.path, resp.StatusCode, resp.Header.Get("Content-Type"), c.status)
		}
		if c.status == 405 && resp.Header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow header", c.method, c.path)
		}
	}
}

func TestUnknownFieldsAreNamed(t *testing.T) {
	s, _ := newServer(t, &fake.Model{Script: fake.Say("ok", 2)})
	resp, err := http.Post(s.URL+"/generate", "", strings.NewReader(`{"prompt": "hi", "tempreature": 1, "Prompt": "x"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Header.Get("Minillm-Ignored-Fields"); got != "Prompt, tempreature" {
		t.Errorf("ignored fields %q", got)
	}
}

func TestManyClientsAreAllAnswered(t *testing.T) {
	s, _ := newServer(t, &fake.Model{Script: fake.Say("ok", 2)})
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			resp, err := http.Post(s.URL+"/generate", "", strings.NewReader(`{"prompt": "hi"}`))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if b, _ := io.ReadAll(resp.Body); !bytes.Contains(b, []byte(`"text":"ok"`)) {
				t.Errorf("got %s", b)
			}
		})
	}
	wg.Wait()
}

func TestHangingUpStopsTheComputation(t *testing.T) {
	for _, path := range []string{"/generate", "/stream"} {
		s, e := newServer(t, &fake.Model{
			Script: func([]int32) int32 { return 'x' },
			Cost:   func([]transformer.Chunk) time.Duration { return 20 * time.Millisecond },
		})
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, "POST", s.URL+path, strings.NewReader(`{"prompt": "hi", "max_new_tokens": 512}`))
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := http.DefaultClient.Do(r); err == nil {
			io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		for deadline := time.Now().Add(time.Second); ; time.Sleep(5 * time.Millisecond) {
			if n, _ := e.Load(); n == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: the request goes on after its client has hung up", path)
			}
		}
	}
}

func TestFailureBreaksTheStreamOff(t *testing.T) {
	s, _ := newServer(t, &fake.Model{
		Script: func([]int32) int32 { return 'x' },
		Step: func(b []transformer.Chunk) error {
			if b[0].Pos > 5 {
				return errors.New("no weights")
			}
			return nil
		},
	})
	resp, err := http.Post(s.URL+"/stream", "", strings.NewReader(`{"prompt": "hi"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("a stream that failed ended as if it were whole: %q", b)
	}
	if status, body := post(t, s.URL+"/generate", `{"prompt": "hi"}`); status != 500 {
		t.Errorf("status %d: %s", status, body)
	}
}

func TestHealth(t *testing.T) {
	s, e := newServer(t, &fake.Model{})
	health := func(h http.Handler) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/health", nil))
		return fmt.Sprintf("%d %s", w.Code, strings.TrimSpace(w.Body.String()))
	}
	gate := &Gate{}
	if got, want := health(gate), `503 {"status":"loading"}`; got != want {
		t.Errorf("before: %s, want %s", got, want)
	}
	gate.Open(s.Config.Handler)
	if got, want := health(gate), `200 {"model":"fake","status":"ok"}`; got != want {
		t.Errorf("loaded: %s, want %s", got, want)
	}
	e.Drain()
	if got, want := health(gate), `503 {"status":"draining"}`; got != want {
		t.Errorf("draining: %s, want %s", got, want)
	}
}
