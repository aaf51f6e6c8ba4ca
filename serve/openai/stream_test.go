package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/minillm/internal/fake"
	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
	"example.com/minillm/transformer"
)

// A failure before the first byte has a status; one after it is an event, and
// no [DONE] comes.
func TestFailure(t *testing.T) {
	for _, c := range []struct {
		after  int
		stream bool
		status int
	}{{0, false, 500}, {0, true, 500}, {3, false, 500}, {3, true, 200}} {
		m := say("a long answer")
		m.Step = func(b []transformer.Chunk) error {
			if b[0].Pos > 20+c.after {
				return errors.New("no weights")
			}
			return nil
		}
		if c.after == 0 {
			m.Step = func([]transformer.Chunk) error { panic("no weights") }
		}
		status, answer, _ := newServer(t, m).post(t, "/v1/chat/completions", fmt.Sprintf(`{"stream": %v, `+hi+`}`, c.stream))
		if status != c.status || strings.Contains(answer, "[DONE]") {
			t.Errorf("%+v: status %d: %s", c, status, answer)
		}
		if c.status == 200 {
			at := strings.LastIndex(answer, "data: ")
			if at == 0 {
				t.Errorf("%+v: nothing before the failure", c)
			}
			answer = answer[at+len("data: "):]
		}
		refusal(t, fmt.Sprintf("%+v", c), answer)
	}
}

// A row that is no numbers fails its request; it never becomes token 0.
func TestBrokenLogits(t *testing.T) {
	s := newServer(t, &fake.Model{Row: fake.NaN('N')})
	status, answer, _ := s.post(t, "/v1/completions", `{"prompt": "NaN"}`)
	refusal(t, "NaN", answer)
	if status != 500 {
		t.Errorf("status %d: %s", status, answer)
	}
	ask[completionReply](t, s, "/v1/completions", `{"prompt": "fine"}`)
}

func (s *server) waitIdle(t *testing.T, what string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if n, _ := s.engine.Load(); n == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: the request goes on", what)
		}
	}
}

func TestHangingUpCancels(t *testing.T) {
	for _, body := range []string{`{` + hi + `}`, `{"stream": true, ` + hi + `}`, `{"n": 4, "stream": true, ` + hi + `}`} {
		s := newServer(t, &fake.Model{
			Script: func([]int32) int32 { return 'x' },
			Cost:   func([]transformer.Chunk) time.Duration { return 10 * time.Millisecond },
		})
		ctx, cancel := context.WithTimeout(context.Background(), 60*time.Millisecond)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := http.DefaultClient.Do(r); err == nil {
			io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		s.waitIdle(t, body)
	}
}

// A client that stays but takes nothing is given up.
func TestClientThatReadsNothing(t *testing.T) {
	defer wire.SetPatience(100 * time.Millisecond)()
	s := newServer(t, &fake.Model{Script: func([]int32) int32 { return 'x' }})
	last := make(chan string, 1)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keep := &lastWrite{ResponseWriter: w}
		s.handler.ServeHTTP(keep, r)
		last <- keep.last
	}))
	defer slow.Close()
	conn, err := net.Dial("tcp", slow.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.(*net.TCPConn).SetReadBuffer(1)
	body := `{"stream": true, "n": 128, "logprobs": true, "top_logprobs": 20, ` + hi + `}` // some 80 MB
	fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	select {
	case write := <-last:
		if strings.Contains(write, "[DONE]") {
			t.Error("all of the answer was sent to a client that read nothing of it")
		}
	case <-time.After(20 * time.Second):
		t.Error("the answer waits for a client that reads nothing")
	}
	conn.Close()
	s.waitIdle(t, "a client that reads nothing")
}

// lastWrite keeps what was written last.
type lastWrite struct {
	http.ResponseWriter
	last string
}

func (w *lastWrite) Write(b []byte) (int, error) {
	w.last = string(b)
	return w.ResponseWriter.Write(b)
}

func (w *lastWrite) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// A body that does not come is given up.
func TestClientThatSendsNothing(t *testing.T) {
	defer wire.SetPatience(50 * time.Millisecond)()
	s := newServer(t, say("ok"))
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
	conn.SetReadDeadline(time.Now().Add(2 * time.Second))
	b, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(b), "HTTP/1.1 400") {
		t.Errorf("%v: %s", err, b)
	}
}

func TestDraining(t *testing.T) {
	m := say("a long answer")
	m.Cost = func([]transformer.Chunk) time.Duration { return 10 * time.Millisecond }
	s := newServer(t, m)
	var wg sync.WaitGroup
	wg.Go(func() {
		if data := s.events(t, "/v1/chat/completions", `{"stream": true, `+hi+`}`); data[len(data)-1] != "[DONE]" {
			t.Errorf("a stream that ran was broken off: %q", data)
		}
	})
	for n, _ := s.engine.Load(); n == 0; n, _ = s.engine.Load() {
		time.Sleep(time.Millisecond)
	}
	s.engine.Drain()
	status, answer, h := s.post(t, "/v1/chat/completions", `{`+hi+`}`)
	if refusal(t, "draining", answer); status != 503 || h.Get("Retry-After") == "" {
		t.Errorf("status %d: %s", status, answer)
	}
	wg.Wait()
}

// Five hundred clients at once: each is answered or refused, none is lost.
func TestManyClientsAtOnce(t *testing.T) {
	m := say("ok")
	m.Cost = func([]transformer.Chunk) time.Duration { return 5 * time.Millisecond }
	s := newServerOf(t, m, serve.Options{MaxWaiting: 100})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 500}}
	defer client.CloseIdleConnections()
	var answered, refused atomic.Int64
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range 500 {
		wg.Go(func() {
			<-begin
			body := fmt.Sprintf(`{"stream": %v, `+hi+`}`, i%2 == 0)
			resp, err := client.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			switch {
			case err != nil:
				t.Error(err)
			case resp.StatusCode == 429 && resp.Header.Get("Retry-After") != "":
				refused.Add(1)
			case resp.StatusCode == 200 && (strings.Contains(string(b), `"ok"`) || strings.Contains(string(b), "[DONE]")):
				answered.Add(1)
			default:
				t.Errorf("status %d: %s", resp.StatusCode, b)
			}
		})
	}
	close(begin)
	wg.Wait()
	if n := answered.Load() + refused.Load(); n != 500 {
		t.Errorf("%d answered and %d refused of 500", answered.Load(), refused.Load())
	}
	t.Logf("%d answered, %d refused", answered.Load(), refused.Load())
	s.waitIdle(t, "all clients answered")
}
