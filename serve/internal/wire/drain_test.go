package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A client that sends all of its body before it listens is answered too, and
// one that asks first is spared the sending.
func TestRefusalsAreHeard(t *testing.T) {
	var m Mux
	m.Handle("POST", "/post", func(w http.ResponseWriter, r *http.Request) {
		_, err := Read(w, r, 100)
		WriteError(w, err)
	})
	m.Handle("GET", "/get", func(http.ResponseWriter, *http.Request) {})
	web := httptest.NewServer(&m)
	defer web.Close()
	const size = 64 << 20 // more than the system's buffers hold
	whole := fmt.Sprintf("Content-Length: %d", size)
	for _, c := range []struct {
		name, path, header, body string
		code                     int
	}{
		{"sends all", "/post", whole, strings.Repeat("x", size), 413},
		{"sends all to another path", "/get", whole, strings.Repeat("x", size), 405},
		{"sends in chunks", "/post", "Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", size, strings.Repeat("x", size)), 413},
		{"asks first", "/post", "Expect: 100-continue\r\n" + whole, "", 413},
		{"asks another path first", "/get", "Expect: 100-continue\r\n" + whole, "", 405},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", web.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(10 * time.Second))
			if _, err := io.WriteString(conn, "POST "+c.path+" HTTP/1.1\r\nHost: x\r\n"+c.header+"\r\n\r\n"+c.body); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != c.code {
				t.Errorf("%s, want %d", resp.Status, c.code)
			}
		})
	}
}
