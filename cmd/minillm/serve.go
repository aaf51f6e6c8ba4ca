package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/minillm"
	"example.com/minillm/serve/native"
)

type server struct {
	model    modelFlags
	addr     string
	names    []string
	kv       string
	parallel int
	drain    time.Duration
	strict   bool
	guard    guardFlags
}

func newServe() *cobra.Command {
	s := &server{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer HTTP requests",
		Example: `  minillm serve
  minillm serve --model model.gguf --addr :8080 --api-key-file keys --tls-cert cert.pem --tls-key key.pem`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context()) },
	}
	s.model.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&s.addr, "addr", "127.0.0.1:8080", "address to listen on")
	fs.StringArrayVar(&s.names, "name", nil, "what clients call the model; may be repeated (default: the file's name)")
	fs.IntVar(&s.model.context, "context", 0, "most positions of one request (default: the trained context)")
	fs.StringVar(&s.kv, "kv", "", "pool of keys and values that all requests share, in positions or as a size such as 2GiB")
	fs.IntVar(&s.parallel, "parallel", 16, "most requests in a step")
	fs.DurationVar(&s.drain, "drain", 30*time.Second, "how long running requests may go on after SIGTERM")
	fs.BoolVar(&s.strict, "strict", false, "refuse requests with fields that nobody knows, instead of naming them in a header")
	s.guard.register(fs)
	return cmd
}

// run listens before the model is there, so that /health can tell, and ends
// when it is told to: what runs is finished first, unless told twice.
func (s *server) run(ctx context.Context) error {
	o, err := s.options()
	if err != nil {
		return err
	}
	gate := &native.Gate{}
	handler, err := s.guard.wrap(gate)
	if err != nil {
		return err
	}
	web, err := listen(s.addr, handler, &s.guard)
	if err != nil {
		return err
	}
	defer web.Close()
	stopProfiles, err := profile(s.guard.pprof)
	if err != nil {
		return err
	}
	defer stopProfiles()

	m, watch, err := s.load(ctx, o)
	if err != nil {
		return err
	}
	defer m.Close()
	gate.Open(s.routes(m, watch.metrics))
	s.welcome(web)

	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	select {
	case err := <-web.failed:
		return err
	case <-ctx.Done():
	}
	stop() // a second signal ends the process
	return s.shut(web, m)
}

// load opens the model, which may have to be fetched before.
func (s *server) load(ctx context.Context, o minillm.Options) (*minillm.Model, *watch, error) {
	src, err := s.model.source.find(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(s.names) == 0 {
		s.names = []string{src.name()}
	}
	w := newWatch(s.names[0], s.guard.logger)
	o.Observer = w.observer()
	m, err := src.model(ctx, o)
	return m, w, err
}

// shut refuses new requests and waits for those that run. It goes on listening
// meanwhile, so that who asks is told.
func (s *server) shut(web *web, m *minillm.Model) error {
	signal.Reset(os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(context.Background(), s.drain)
	defer cancel()
	engine := m.Text().Engine
	engine.Drain()
	for n, _ := engine.Load(); n > 0 && ctx.Err() == nil; n, _ = engine.Load() {
		time.Sleep(10 * time.Millisecond)
	}
	switch err := web.Shutdown(ctx); {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("requests still ran after %s and were broken off", s.drain)
	default:
		return err
	}
}

func (s *server) check() error {
	switch {
	case s.parallel < 1:
		return usagef("--parallel %d: must be at least 1", s.parallel)
	case s.model.context < 0:
		return usagef("--context %d: must be at least 1", s.model.context)
	case s.drain < 0:
		return usagef("--drain %s: must not be negative", s.drain)
	case slices.Contains(s.names, ""):
		return usagef("--name: must not be empty")
	}
	return s.model.check()
}

// options checks the flags and returns those of the model.
func (s *server) options() (minillm.Options, error) {
	if err := s.check(); err != nil {
		return minillm.Options{}, err
	}
	if err := s.guard.check(); err != nil {
		return minillm.Options{}, err
	}
	o := s.model.options()
	o.Parallel = s.parallel
	var err error
	o.KV, o.KVPositions, err = parsePool(s.kv)
	return o, err
}

// web is a server that listens.
type web struct {
	*http.Server
	url    string
	failed chan error
}

// listen serves handler from now on. The times allow for answers of any
// length: they are about requests, and connections without one.
func listen(addr string, handler http.Handler, g *guardFlags) (*web, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	w := &web{failed: make(chan error, 1), url: "http://" + listener.Addr().String()}
	w.Server = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // handlers lift it when they have the body
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          g.errorLog(),
	}
	serve := func() error { return w.Serve(listener) }
	if g.tls != nil {
		w.url, w.TLSConfig = "https://"+listener.Addr().String(), g.tls
		serve = func() error { return w.ServeTLS(listener, "", "") }
	}
	go func() { w.failed <- serve() }()
	return w, nil
}

// welcome says where the server is, and who may use it.
func (s *server) welcome(w *web) {
	fmt.Printf("listening on %s\nchat page: %s/\n", w.url, w.url)
	s.model.source.hint()
	host, _, _ := net.SplitHostPort(s.addr)
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && len(s.guard.keys) == 0 {
		fmt.Fprintf(os.Stderr, "minillm: without --api-key, everybody who reaches %s may use the model\n", s.addr)
	}
}
