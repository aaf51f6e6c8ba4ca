package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/serve"
	"example.com/minillm/serve/remote"
	"example.com/minillm/tokenizer/chat"
)

const chunk = `data: {"choices": [{"index": 0, "text": "word ", "finish_reason": null}]}` + "\n\n"

// faulty is a server that answers as its handler does, and counts how often it
// was asked to.
type faulty struct {
	*httptest.Server
	asked atomic.Int64
}

func newFaulty(t *testing.T, answer http.HandlerFunc) *faulty {
	t.Helper()
	f := &faulty{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"data": [{"id": "m", "owned_by": "somebody"}]}`)
			return
		}
		f.asked.Add(1)
		io.Copy(io.Discard, r.Body) // until then nobody notices that the client is gone
		answer(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// begin sends three pieces of an answer.
func begin(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, chunk+chunk+chunk)
	w.(http.Flusher).Flush()
}

// cut ends the connection under a handler, as the death of its process does.
func cut(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

func TestBreaks(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		text   string // that came before the error
		words  string // in the error
	}{
		{"dies before it answers", func(w http.ResponseWriter, r *http.Request) { cut(w) }, "", "/v1/completions"},
		{"dies in the middle", func(w http.ResponseWriter, r *http.Request) { begin(w); cut(w) }, "word word word ", "/v1/completions"},
		{"falls silent", func(w http.ResponseWriter, r *http.Request) { begin(w); <-r.Context().Done() }, "word word word ", "silent"},
		{"never answers", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "", "silent"},
		{"ends without a reason", func(w http.ResponseWriter, r *http.Request) { begin(w); io.WriteString(w, "data: [DONE]\n\n") }, "word word word ", "ended before"},
		{"ends for a strange reason", func(w http.ResponseWriter, r *http.Request) {
			begin(w)
			io.WriteString(w, strings.Replace(chunk, "null", `"abort"`, 1))
		}, "word word word word ", `"abort"`},
		{"sends garbage", func(w http.ResponseWriter, r *http.Request) { begin(w); io.WriteString(w, "data: {]\n\n") }, "word word word ", "/v1/completions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFaulty(t, c.answer)
			m := connect(t, f.URL, remote.Options{Patience: 100 * time.Millisecond})
			var text string
			var failure error
			for p, err := range m.Stream(t.Context(), "hi", serve.Request{}) {
				text, failure = text+p.Text, err
			}
			if !errors.Is(failure, remote.ErrBroken) || !strings.Contains(failure.Error(), c.words) || text != c.text {
				t.Errorf("%q, then %v; want %q, then one about %s", text, failure, c.text, c.words)
			}
			if n := f.asked.Load(); n != 1 {
				t.Errorf("one request was sent %d times", n)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	const openai = `{"error": {"message": "words", "type": "invalid_request_error", "param": null, "code": %q}}`
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   error
	}{
		{"queue full", 429, fmt.Sprintf(openai, "queue_full"), serve.ErrBusy},
		{"llama-server loads", 503, `{"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}`, serve.ErrBusy},
		{"minillm drains", 503, fmt.Sprintf(openai, "unavailable"), serve.ErrClosed},
		{"too long", 400, fmt.Sprintf(openai, "context_length_exceeded"), batch.ErrTooLong},
		{"too long for llama-server", 400, `{"error": {"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error"}}`, batch.ErrTooLong},
		{"too long for vLLM", 400, `{"error": {"message": "This model's maximum context length is 32 tokens.", "type": "BadRequestError", "param": null, "code": 400}}`, batch.ErrTooLong},
		{"empty", 400, fmt.Sprintf(openai, "empty_prompt"), batch.ErrEmpty},
		{"no template", 400, fmt.Sprintf(openai, "no_template"), chat.ErrNoTemplate},
		{"else", 422, `{"error": {"message": "top_k: no"}}`, serve.ErrInvalid},
		{"no key", 401, fmt.Sprintf(openai, "invalid_api_key"), nil},
		{"a proxy's page", 502, "<html>Bad Gateway</html>", nil},
		{"nothing", 500, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFaulty(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			})
			m := connect(t, f.URL, remote.Options{})
			_, err := m.Generate(t.Context(), "hi", serve.Request{})
			var refused *remote.StatusError
			if !errors.As(err, &refused) || refused.Status != c.status || !strings.Contains(err.Error(), f.URL+"/v1/completions") {
				t.Fatalf("got %v", err)
			}
			for _, e := range []error{serve.ErrBusy, serve.ErrClosed, serve.ErrInvalid, batch.ErrTooLong, batch.ErrEmpty, chat.ErrNoTemplate} {
				if errors.Is(err, e) != (e == c.want) {
					t.Errorf("%q is %q: %v", err, e, e != c.want)
				}
			}
			if n := f.asked.Load(); n != 1 {
				t.Errorf("one request was sent %d times", n)
			}
		})
	}
}

// An error in the middle of a stream is the server's, with its words.
func TestErrorInTheMiddle(t *testing.T) {
	f := newFaulty(t, func(w http.ResponseWriter, r *http.Request) {
		begin(w)
		io.WriteString(w, `data: {"error": {"message": "the server is shutting down", "type": "server_error", "param": null, "code": "unavailable"}}`+"\n\n")
	})
	_, err := connect(t, f.URL, remote.Options{}).Generate(t.Context(), "hi", serve.Request{})
	if !errors.Is(err, serve.ErrClosed) || !strings.Contains(err.Error(), "shutting down") {
		t.Errorf("got %v", err)
	}
}

// The deadline of a request ends it with what there is.
func TestDeadlineInTheMiddle(t *testing.T) {
	f := newFaulty(t, func(w http.ResponseWriter, r *http.Request) { begin(w); <-r.Context().Done() })
	reply, err := connect(t, f.URL, remote.Options{}).Generate(t.Context(), "hi", serve.Request{Deadline: time.Now().Add(200 * time.Millisecond)})
	if err != nil || reply.Text != "word word word " || reply.Finish != batch.Timeout || reply.Usage.CompletionTokens != 3 {
		t.Errorf("got %+v, %v", reply, err)
	}
}

// A server is killed in the middle of a stream and started again at the same
// address: an error, and the next request is answered.
func TestKillAndRestart(t *testing.T) {
	started := make(chan struct{}, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"data": [{"id": "m"}]}`)
			return
		}
		begin(w)
		select {
		case started <- struct{}{}:
			<-r.Context().Done()
		default: // the second life
			io.WriteString(w, strings.Replace(chunk, "null", `"stop"`, 1))
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	first := &http.Server{Handler: handler}
	go first.Serve(listener)
	m := connect(t, "http://"+addr, remote.Options{})
	go func() { <-started; first.Close(); started <- struct{}{} }()
	if _, err := m.Generate(t.Context(), "hi", serve.Request{}); !errors.Is(err, remote.ErrBroken) {
		t.Errorf("the answer of a server that was killed: %v", err)
	}
	_, err = m.Generate(t.Context(), "hi", serve.Request{})
	if err == nil || errors.Is(err, remote.ErrBroken) || !strings.Contains(err.Error(), addr) {
		t.Errorf("nobody is there, and yet: %v", err)
	}
	if listener, err = net.Listen("tcp", addr); err != nil {
		t.Fatal(err)
	}
	second := &http.Server{Handler: handler}
	go second.Serve(listener)
	defer second.Close()
	if reply, err := m.Generate(t.Context(), "hi", serve.Request{}); err != nil || reply.Finish != batch.Stop {
		t.Errorf("once it is back: %+v, %v", reply, err)
	}
}

// Whoever leaves closes the connection, and nothing stays behind.
func TestLeavingClosesTheConnection(t *testing.T) {
	gone := make(chan struct{}, 10)
	f := newFaulty(t, func(w http.ResponseWriter, r *http.Request) {
		begin(w)
		<-r.Context().Done()
		gone <- struct{}{}
	})
	m := connect(t, f.URL, remote.Options{})
	before := runtime.NumGoroutine()
	for range 5 {
		for range m.Stream(t.Context(), "hi", serve.Request{}) {
			break
		}
		select {
		case <-gone:
		case <-time.After(10 * time.Second):
			t.Fatal("the server did not notice that the reader has left")
		}
	}
	for range 200 {
		if runtime.NumGoroutine() <= before+2 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestClosedWithoutAWord: a server that closes connections after an answer, and does not say so, loses no request.
func TestClosedWithoutAWord(t *testing.T) {
	f := newFaulty(t, func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		text := strings.Replace(chunk, "null", `"stop"`, 1) + "data: [DONE]\n\n"
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		time.Sleep(time.Millisecond) // by then the client has sent the next request
		conn.Close()
	})
	m := connect(t, f.URL, remote.Options{})
	for i := range 50 {
		if _, err := m.Generate(t.Context(), "hi", serve.Request{}); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
}

func TestOpenFails(t *testing.T) {
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }))
	defer empty.Close()
	dead := httptest.NewServer(nil)
	dead.Close()
	for name, url := range map[string]string{"no URL": "model.gguf", "no scheme": "localhost:8080", "nobody there": dead.URL, "no models": empty.URL} {
		if _, err := remote.Open(url, remote.Options{}); err == nil || !strings.Contains(err.Error(), url) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := remote.Open(empty.URL, remote.Options{Model: "known"}); err != nil {
		t.Errorf("a server without a list, but a name: %v", err)
	}
	if _, err := remote.Open(dead.URL, remote.Options{Model: "known"}); err == nil {
		t.Error("nobody is there, and yet no error")
	}
}

func TestPlainRefuses(t *testing.T) {
	f := newFaulty(t, func(w http.ResponseWriter, r *http.Request) {})
	m := connect(t, f.URL, remote.Options{Plain: true})
	ctx := context.Background()
	for _, r := range []serve.Request{{Priority: 1}, {Salt: "x"}, requests[4], requests[5]} {
		if _, err := m.Generate(ctx, "hi", r); !errors.Is(err, serve.ErrInvalid) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if _, err := m.Chat(ctx, nil, serve.Request{Thinking: true}); !errors.Is(err, serve.ErrInvalid) {
		t.Errorf("thinking: %v", err)
	}
	if n := f.asked.Load(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
