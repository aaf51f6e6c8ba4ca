package remote_test

import (
	"context"
	"errors"
	"flag"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/minillm/sampling"
	"example.com/minillm/serve"
	"example.com/minillm/serve/remote"
)

var realStart = flag.String("start", "", "the command that starts the server at -url, to be killed")

// start starts the real server and waits until it answers.
func start(t *testing.T) *exec.Cmd {
	t.Helper()
	args := strings.Fields(*realStart)
	cmd := exec.Command(args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 600 {
		m, err := remote.Open(*realURL, remote.Options{})
		if err == nil {
			_, err = m.Generate(t.Context(), "Hello", serve.Request{MaxTokens: 1})
			m.Close()
		}
		if err == nil {
			return cmd
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s does not answer at %s", *realStart, *realURL)
	return nil
}

// A real server is killed in the middle of a stream, as by a machine that runs
// out of memory: -args -url http://localhost:8080 -start "COMMAND ARGUMENTS".
func TestRealKill(t *testing.T) {
	if *realStart == "" {
		t.Skip("needs the command that -start names")
	}
	cmd := start(t)
	m := connect(t, *realURL, remote.Options{Extra: map[string]any{"ignore_eos": true}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pieces, killed := 0, time.Time{}
	var failure error
	for _, err := range m.Stream(ctx, prompt, serve.Request{MaxTokens: 1000, Sampling: sampling.Params{Temperature: 1}}) {
		failure = err
		if pieces++; pieces == 10 {
			killed = time.Now()
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	if !errors.Is(failure, remote.ErrBroken) || pieces < 10 || time.Since(killed) > 5*time.Second {
		t.Errorf("%v after the kill, with %d pieces: %v", time.Since(killed), pieces, failure)
	}
	t.Logf("in the middle: %v", failure)
	_, err := m.Generate(ctx, prompt, serve.Request{MaxTokens: 3})
	if err == nil || ctx.Err() != nil {
		t.Errorf("nobody is there, and yet: %v", err)
	}
	t.Logf("while it is away: %v", err)
	start(t)
	if reply, err := m.Generate(ctx, prompt, serve.Request{MaxTokens: 3}); err != nil || reply.Usage.CompletionTokens != 3 {
		t.Errorf("once it is back: %+v, %v", reply, err)
	}
}

const prompt = "Once upon a time, in a village by the sea,"
