package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// chunked is a well-formed answer of three words, as most servers send it.
const (
	role  = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	word  = `data: {"choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n"
	stop  = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	usage = `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":8}}}` + "\n\n"
	done  = "data: [DONE]\n\n"
)

// says is a server that streams a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for part := range strings.SplitAfterSeq(text, "\n\n") {
			io.WriteString(w, part)
			w.(http.Flusher).Flush()
		}
	}
}

// status is a server that refuses.
func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Error(w, "not now", code) }
}

// hangsUp sends a text and breaks the connection off.
func hangsUp(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		says(text)(w, r)
		panic(http.ErrAbortHandler)
	}
}

// waits sends a text and then nothing, until the client is gone.
func waits(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		says(text)(w, r)
		<-r.Context().Done()
	}
}

// repeats sends a text without end.
func repeats(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		for r.Context().Err() == nil {
			io.WriteString(w, text)
			time.Sleep(100 * time.Microsecond) // leaves time for the tests beside it
		}
	}
}

// TestServers sends four requests to each kind of server and looks how they
// are counted, and that the run ends.
func TestServers(t *testing.T) {
	for _, test := range []struct {
		name   string
		server http.HandlerFunc
		kind   Kind // "": answered
		flaw   Kind
		pieces int // that came with each request
	}{
		{"good", says(role + word + word + word + stop + usage + done), "", "", 3},
		{"comments and blank lines", says(": keep-alive\n\n" + role + "\r\nevent: message\r\n" + word + "\n\n" + stop + usage + done), "", "", 1},
		{"waits after done", waits(role + word + stop + usage + done), "", "", 1},
		{"404", status(404), "http 404", "", 0},
		{"429", status(429), "http 429", "", 0},
		{"500", status(500), "http 500", "", 0},
		{"endless", repeats(word), Endless, "", 0},
		{"an endless line", repeats(strings.Repeat("word ", 1000)), Malformed, "", 0},
		{"endless without text", repeats(role), Stalled, "", 0},
		{"half a line", says(role + word + word[:40]), Malformed, "", 1},
		{"half a line in the middle", says(role + word + word[:40] + "\n\n" + word + done), Malformed, "", 1},
		{"no stream", says(`{"choices":[{"message":{"content":"word"}}]}`), Hangup, "", 0},
		{"stall before text", waits(role), Stalled, "", 0},
		{"stall in the middle", waits(role + word + word), Stalled, "", 2},
		{"no usage", says(role + word + word + stop + done), "", NoUsage, 2},
		{"no done", says(role + word + stop + usage), "", NoDone, 1},
		{"no done, and broken off", hangsUp(role + word + stop + usage), "", NoDone, 1},
		{"no text", says(role + stop + usage + done), "", Empty, 0},
		{"ends in the middle", says(role + word + word), Hangup, "", 2},
		{"hangs up in the middle", hangsUp(role + word + word), Hangup, "", 2},
		{"hangs up in the middle of a line", hangsUp(role + word + word[:40]), Hangup, "", 1},
		{"hangs up at once", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Hangup, "", 0},
		{"an error in the stream", says(role + word + `data: {"error":{"message":"out of memory"}}` + "\n\n"), Refused, "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(test.server)
			defer server.Close()
			server.Config.ErrorLog = nil
			traces := Run(t.Context(), &HTTP{URL: server.URL},
				Load{Requests: requests(4, 3), Clients: 2, Stall: 500 * ms, MaxTime: 20 * time.Second})
			s := Summarize(traces, Limits{})
			if s.Requests != 4 || s.Interrupted != 0 {
				t.Fatalf("%d requests, %d interrupted", s.Requests, s.Interrupted)
			}
			if test.kind == "" && (s.Answered != 4 || s.Failed != 0) || test.kind != "" && (s.Answered != 0 || s.Errors[test.kind] != 4) {
				t.Errorf("%d answered, errors %v %v", s.Answered, s.Errors, s.Examples)
			}
			if test.kind == "" && (len(s.Flaws) > 1 || test.flaw != "" && s.Flaws[test.flaw] != 4) {
				t.Errorf("flaws %v", s.Flaws)
			}
			for _, trace := range traces {
				if n := len(trace.Pieces); n != test.pieces && test.kind != Endless {
					t.Errorf("%d pieces", n)
				}
			}
		})
	}
}

func TestClosedPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, url := range []string{"http://" + l.Addr().String(), "http://no-such-host.invalid:1"} {
		s := Summarize(Run(t.Context(), &HTTP{URL: url}, Load{Requests: requests(2, 3)}), Limits{})
		if s.Errors[Connect] != 2 {
			t.Errorf("%s: %v %v", url, s.Errors, s.Examples)
		}
	}
}

func TestCounts(t *testing.T) {
	server := httptest.NewServer(says(role + word + word + stop + usage + done))
	defer server.Close()
	trace := Run(t.Context(), &HTTP{URL: server.URL}, Load{Requests: requests(1, 3)})[0]
	if trace.Usage == nil || *trace.Usage != (Usage{PromptTokens: 9, CachedTokens: 8, OutputTokens: 4}) || trace.Tokens() != 4 {
		t.Errorf("usage %+v", trace.Usage)
	}
}

// TestCountsAlong: some servers send counts with every piece, and thereby say
// how many tokens each has.
func TestCountsAlong(t *testing.T) {
	piece := func(total int) string {
		return fmt.Sprintf(`data: {"choices":[{"delta":{"content":"w"}}],"usage":{"completion_tokens":%d}}`+"\n\n", total)
	}
	server := httptest.NewServer(says(role + piece(1) + piece(4) + piece(6) + stop + done))
	defer server.Close()
	trace := Run(t.Context(), &HTTP{URL: server.URL}, Load{Requests: requests(1, 9)})[0]
	if p := trace.Pieces; len(p) != 3 || p[0].Tokens != 1 || p[1].Tokens != 3 || p[2].Tokens != 2 || trace.Tokens() != 6 {
		t.Errorf("%+v", trace)
	}
	if n := len(trace.AppendITL(nil)); n != 5 {
		t.Errorf("%d gaps", n)
	}
}

func TestRequestBody(t *testing.T) {
	var path, key string
	var body map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, key = r.URL.Path, r.Header.Get("Authorization")
		body = nil
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		says(role+word+stop+usage+done)(w, r)
	}))
	defer server.Close()
	q := Request{Messages: []Message{{"system", "be brief"}, {"user", "why?"}}, MaxTokens: 7}
	ask := func(h *HTTP) {
		for _, err := range h.Do(t.Context(), q) {
			if err != nil {
				t.Error(err)
			}
		}
	}
	ask(&HTTP{URL: server.URL + "/v1/", Model: "m", Key: "secret", Extra: map[string]any{"ignore_eos": true}})
	if path != "/v1/chat/completions" || key != "Bearer secret" || body["model"] != "m" || body["max_tokens"] != 7.0 ||
		body["stream"] != true || body["ignore_eos"] != true || len(body["messages"].([]any)) != 2 {
		t.Errorf("%s %q %v", path, key, body)
	}
	ask(&HTTP{URL: server.URL, Completions: true})
	if path != "/v1/completions" || key != "" || body["prompt"] != "be brief\nwhy?" || body["messages"] != nil || body["model"] != nil {
		t.Errorf("%s %v", path, body)
	}
}

func TestModels(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"object":"list","data":[{"id":"%s"},{"id":"b"}]}`, r.URL.Path)
	}))
	defer server.Close()
	names, err := (&HTTP{URL: server.URL}).Models(t.Context())
	if err != nil || len(names) != 2 || names[0] != "/v1/models" {
		t.Errorf("%q, %v", names, err)
	}
	if _, err := (&HTTP{URL: "http://127.0.0.1:1"}).Models(t.Context()); err == nil {
		t.Error("no error of a server that is not there")
	}
}

// TestConnectionsAreKept: an answer read to its end leaves its connection to
// the next request.
func TestConnectionsAreKept(t *testing.T) {
	server := httptest.NewUnstartedServer(says(role + word + stop + usage + done))
	opened := 0
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened++
		}
	}
	server.Start()
	defer server.Close()
	if s := Summarize(Run(t.Context(), &HTTP{URL: server.URL}, Load{Requests: requests(20, 1)}), Limits{}); s.Answered != 20 {
		t.Fatalf("%v", s.Errors)
	}
	if opened != 1 {
		t.Errorf("%d connections", opened)
	}
}

// TestClosedWithoutAWord: a server that closes connections after an answer, and does not say so, loses no request.
func TestClosedWithoutAWord(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		text := word + stop + done
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		time.Sleep(time.Millisecond) // by then the client has sent the next request
		conn.Close()
	}))
	defer server.Close()
	s := Summarize(Run(t.Context(), &HTTP{URL: server.URL, Model: "m"}, Load{Requests: requests(200, 1), Clients: 4}), Limits{})
	if s.Answered != 200 {
		t.Errorf("%d of 200 answered: %v", s.Answered, s.Errors)
	}
}

// TestIdleConnectionsAreGivenUp waits for the client to close a connection that nobody uses: some servers
// do after 5 s, and what is sent at that moment is lost.
func TestIdleConnectionsAreGivenUp(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two seconds")
	}
	t.Parallel()
	closed := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(says(word + done))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			closed <- struct{}{}
		}
	}
	server.Start()
	defer server.Close()
	for _, err := range (&HTTP{URL: server.URL, Model: "m"}).Do(t.Context(), requests(1, 1)[0]) {
		if err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-closed:
	case <-time.After(4 * time.Second):
		t.Error("an idle connection is kept for 4 s")
	}
}

// FuzzStream: whatever a server sends, reading it ends, and says either [DONE]
// or one error.
func FuzzStream(f *testing.F) {
	f.Add(role + word + stop + usage + done)
	f.Add(word + word[:40])
	f.Add("data:{}\n\ndata: [DONE]")
	f.Fuzz(func(t *testing.T, text string) {
		errors := 0
		s := stream{lines: newLines(strings.NewReader(text))}
		ended := s.read(func(p Piece, err error) bool {
			if err != nil {
				errors++
			}
			return true
		})
		if ended == (errors > 0) || errors > 1 {
			t.Errorf("ended %v with %d errors", ended, errors)
		}
	})
}
