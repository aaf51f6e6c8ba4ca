package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// client is one of those of the soak.
type client struct {
	t         *testing.T
	url       string
	questions []question
	done      *counts
	random    *rand.Rand
	http      *http.Client
}

// act does one of the things that clients do.
func (c *client) act() {
	q := &c.questions[c.random.IntN(len(c.questions))]
	switch c.random.IntN(16) {
	case 0:
		c.cancel(q)
	case 1:
		c.leave(q)
	case 2:
		c.hangUp(q)
	case 3:
		c.dawdle(q)
	case 4:
		c.garbage(q)
	case 5:
		c.refused(q.path, tooLong(q.path), http.StatusBadRequest)
	case 6:
		c.watch()
	default:
		c.ask(q)
	}
}

func (c *client) post(ctx context.Context, path, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	return c.http.Do(r)
}

// ask asks and compares.
func (c *client) ask(q *question) {
	resp, err := c.post(context.Background(), q.path, q.body)
	if err != nil {
		c.t.Errorf("%s: %v", q.path, err)
		return
	}
	c.compare(q, resp)
}

func (c *client) compare(q *question, resp *http.Response) {
	got, err := answer(resp)
	var status *statusError
	switch {
	case errors.As(err, &status) && status.status == http.StatusTooManyRequests:
		c.done.busy.Add(1)
	case err != nil:
		c.t.Errorf("%s %s: %v", q.path, q.body, err)
	case got != q.want:
		c.t.Errorf("%s %s\n got %s\nwant %s", q.path, q.body, got, q.want)
	default:
		c.done.right.Add(1)
	}
}

// cancel gives up after a moment, be it in the queue, in prefill or later.
func (c *client) cancel(q *question) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(c.random.IntN(30_000))*time.Microsecond)
	defer cancel()
	resp, err := c.post(ctx, q.path, q.body)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	c.done.cut.Add(1)
}

// leave reads a part of the answer and closes the connection.
func (c *client) leave(q *question) {
	resp, err := c.post(context.Background(), q.path, q.body)
	if err != nil {
		c.t.Errorf("%s: %v", q.path, err)
		return
	}
	io.CopyN(io.Discard, resp.Body, c.random.Int64N(300))
	resp.Body.Close()
	c.done.cut.Add(1)
}

// hangUp sends a part of a request, or all of it, and is gone.
func (c *client) hangUp(q *question) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
	if err != nil {
		c.t.Error(err)
		return
	}
	defer conn.Close()
	raw := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", q.path, len(q.body), q.body)
	io.WriteString(conn, raw[:c.random.IntN(len(raw)+1)])
	if c.random.IntN(2) == 0 {
		conn.(*net.TCPConn).SetLinger(0) // a reset, as of a process that died
	}
	c.done.cut.Add(1)
}

// dawdle reads an answer at its leisure; it must be whole and right all the same.
func (c *client) dawdle(q *question) {
	resp, err := c.post(context.Background(), q.path, q.body)
	if err != nil {
		c.t.Errorf("%s: %v", q.path, err)
		return
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{&slow{resp.Body, time.Duration(c.random.IntN(3)) * time.Millisecond}, resp.Body}
	c.compare(q, resp)
}

// slow reads little at a time.
type slow struct {
	io.Reader
	pause time.Duration
}

func (s *slow) Read(p []byte) (int, error) {
	time.Sleep(s.pause)
	return s.Reader.Read(p[:min(len(p), 64)])
}

// garbage sends what is no request: a body cut short, bytes at random, or fields
// of wrong types.
func (c *client) garbage(q *question) {
	body := q.body[:c.random.IntN(len(q.body)-1)]
	switch c.random.IntN(3) {
	case 0:
		b := make([]byte, 1+c.random.IntN(200))
		for i := range b {
			b[i] = byte(c.random.Uint32())
		}
		body = string(b)
	case 1:
		body = strings.Replace(q.body, `":`, `":{"a":`+strings.Repeat("[", c.random.IntN(100)), 1)
	}
	c.refused(q.path, body, http.StatusBadRequest)
}

// refused sends what must be refused with a status.
func (c *client) refused(path, body string, status int) {
	resp, err := c.post(context.Background(), path, body)
	if err != nil {
		c.t.Errorf("%s: %v", path, err)
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(bufio.NewReader(resp.Body))
	if resp.StatusCode != status || err != nil || !strings.HasPrefix(string(text), `{"error":`) || len(text) > 4096 {
		c.t.Errorf("%s %.200q: %d %.200q, %v; want %d", path, body, resp.StatusCode, text, err, status)
	}
	c.done.refused.Add(1)
}

// tooLong is a request with more tokens than the context has positions.
func tooLong(path string) string {
	text := strings.Repeat("too long ", limit)
	switch path {
	case "/v1/chat/completions":
		return fmt.Sprintf(`{"messages": [{"role": "user", "content": %q}]}`, text)
	case "/v1/embeddings":
		return fmt.Sprintf(`{"input": ["short", %q]}`, text)
	}
	return fmt.Sprintf(`{"prompt": %q}`, text)
}

// watch asks how the server is: well.
func (c *client) watch() {
	for _, path := range []string{"/health", "/v1/models", "/openapi.json"} {
		resp, err := c.http.Get(c.url + path)
		if err != nil {
			c.t.Errorf("%s: %v", path, err)
			return
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			c.t.Errorf("%s: status %d", path, resp.StatusCode)
		}
	}
}
