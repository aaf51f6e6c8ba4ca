package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/minillm"
	"example.com/minillm/serve/native"
)

type server struct {
	model    modelFlags
	addr     string
	kv       string
	parallel int
	drain    time.Duration
}

func newServe() *cobra.Command {
	s := &server{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer HTTP requests",
		Args:  exactly(0, "no argument"),
		RunE:  func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context()) },
	}
	s.model.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&s.addr, "addr", "127.0.0.1:8080", "address to listen on")
	fs.IntVar(&s.model.context, "context", 0, "most positions of one request (default: the trained context)")
	fs.StringVar(&s.kv, "kv", "", "pool of keys and values that all requests share, in positions or as a size such as 2GiB")
	fs.IntVar(&s.parallel, "parallel", 16, "most requests in a step")
	fs.DurationVar(&s.drain, "drain", 30*time.Second, "how long running requests may go on after SIGTERM")
	return cmd
}

// run listens before the model is there, so that /health can tell, and ends
// when it is told to: what runs is finished first, unless told twice.
func (s *server) run(ctx context.Context) error {
	if err := s.model.check(); err != nil {
		return err
	}
	o, err := s.options()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		return err
	}
	gate := &native.Gate{}
	web := &http.Server{Handler: gate, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	defer web.Close()

	m, err := minillm.Open(s.model.path, o)
	if err != nil {
		return explain(s.model.path, err)
	}
	defer m.Close()
	gate.Open(native.New(m.Text(), m.Template(), name(s.model.path)))
	fmt.Printf("listening on http://%s\n", listener.Addr())

	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop() // a second signal ends the process
	return s.shut(web, m)
}

// shut refuses new requests and waits for those that run.
func (s *server) shut(web *http.Server, m *minillm.Model) error {
	signal.Reset(os.Interrupt, syscall.SIGTERM)
	m.Text().Engine.Drain()
	ctx, cancel := context.WithTimeout(context.Background(), s.drain)
	defer cancel()
	if err := web.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("requests still ran after %s and were broken off", s.drain)
	} else if err != nil {
		return err
	}
	return nil
}

func (s *server) options() (minillm.Options, error) {
	o := s.model.options()
	o.Parallel = s.parallel
	var err error
	o.KV, o.KVPositions, err = parsePool(s.kv)
	return o, err
}

// name is how clients call the model of a file.
func name(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}
