//go:build unix

package bench

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// steadyServer, in the environment of this test's binary, makes it a server that streams
// tokens at a steady pace, in a process of its own: what it costs is not the generator's.
const steadyServer = "BENCH_TEST_STEADY_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(steadyServer) == "" {
		os.Exit(m.Run())
	}
	server := httptest.NewServer(http.HandlerFunc(steady))
	fmt.Println(server.URL)
	io.Copy(io.Discard, os.Stdin) // until the parent closes it, or ends
}

// steady streams 200 tokens, 100 a second.
func steady(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 200 {
		<-tick.C
		fmt.Fprintf(w, "data: %s\n\n", plainChunk)
		w.(http.Flusher).Flush()
	}
	io.WriteString(w, stop+usage+done)
}

func startSteady(t *testing.T) (url string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), steadyServer+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// processor time of this process.
func used(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestCost: at 2,000 tokens a second, in 20 streams, the generator takes less
// than a tenth of one core from what it measures.
func TestCost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes four seconds")
	}
	target := &HTTP{URL: startSteady(t)}
	start, before := time.Now(), used(t)
	s := Summarize(Run(t.Context(), target, Load{Requests: requests(40, 200), Clients: 20}), Limits{})
	wall, cpu := time.Since(start), used(t)-before
	if s.Answered != 40 || s.Pieces != 8000 {
		t.Fatalf("%d answered, %d pieces, %v", s.Answered, s.Pieces, s.Errors)
	}
	rate := float64(s.Pieces) / wall.Seconds()
	share := cpu.Seconds() / wall.Seconds() * 2000 / rate
	t.Logf("%.0f tokens/s take %.1f %% of a core: %.1f µs a token", rate, 100*cpu.Seconds()/wall.Seconds(), cpu.Seconds()*1e6/float64(s.Pieces))
	if share > 0.10 {
		t.Errorf("2,000 tokens/s would take %.1f %% of a core", 100*share)
	}
}
