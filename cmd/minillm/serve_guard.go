package main

import (
	"crypto/tls"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"

	"github.com/spf13/pflag"

	"example.com/minillm/serve/guard"
)

// guardFlags say who may use a server, and what it tells of itself.
type guardFlags struct {
	keys      []string
	keyFile   string
	cert, key string // files, for TLS
	origins   []string
	pprof     string
	log       string
	logger    *slog.Logger
	tls       *tls.Config // nil: HTTP
}

func (g *guardFlags) register(fs *pflag.FlagSet) {
	fs.StringArrayVar(&g.keys, "api-key", nil, "a `key` that clients must have; may be repeated")
	fs.StringVar(&g.keyFile, "api-key-file", "", "`file` of such keys, one a line")
	fs.StringVar(&g.cert, "tls-cert", "", "certificate `file`, for HTTPS")
	fs.StringVar(&g.key, "tls-key", "", "its key `file`")
	fs.StringArrayVar(&g.origins, "cors-origin", nil, "an `origin`, such as https://example.org, whose pages may use the server, or *; may be repeated")
	fs.StringVar(&g.pprof, "pprof", "", "serve profiles on this other `address`")
	fs.StringVar(&g.log, "log", "text", "lines about requests, on standard error: text, json or off; what requests say is never in them")
}

// check reads what the flags name.
func (g *guardFlags) check() error {
	if (g.cert == "") != (g.key == "") {
		return usagef("--tls-cert and --tls-key: want both or neither")
	}
	switch g.log {
	case "text":
		g.logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	case "json":
		g.logger = slog.New(slog.NewJSONHandler(os.Stderr, nil))
	case "off":
		g.logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	default:
		return usagef("--log %q: want text, json or off", g.log)
	}
	for _, k := range g.keys {
		if k == "" {
			return usagef("--api-key: must not be empty")
		}
	}
	if err := g.readCertificate(); err != nil {
		return err
	}
	return g.readKeys()
}

func (g *guardFlags) readCertificate() error {
	if g.cert == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(g.cert, g.key)
	if err != nil {
		return fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	g.tls = &tls.Config{Certificates: []tls.Certificate{pair}}
	return nil
}

func (g *guardFlags) readKeys() error {
	if g.keyFile == "" {
		return nil
	}
	f, err := os.Open(g.keyFile)
	if err != nil {
		return err
	}
	defer f.Close()
	keys, err := guard.ReadKeys(f)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return fmt.Errorf("%s has no keys", g.keyFile)
	}
	g.keys = append(g.keys, keys...)
	return nil
}

// wrap puts the guards in front of a handler. The chat page itself is for
// everybody: it asks for a key.
func (g *guardFlags) wrap(h http.Handler) (http.Handler, error) {
	h = guard.Keys(h, g.keys, "/", "/health", "/openapi.json")
	h, err := guard.Origins(h, g.origins)
	if err != nil {
		return nil, usageError{err}
	}
	return guard.Log(guard.Recover(h, g.logger), g.logger), nil
}

// errorLog takes what net/http has to say about connections.
func (g *guardFlags) errorLog() *log.Logger {
	return slog.NewLogLogger(g.logger.Handler(), slog.LevelWarn)
}

// profile serves profiles on an address of their own, if there is one.
func profile(addr string) (stop func() error, err error) {
	if addr == "" {
		return func() error { return nil }, nil
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	s := &http.Server{Handler: mux}
	go s.Serve(listener)
	fmt.Fprintf(os.Stderr, "profiles on http://%s/debug/pprof/\n", listener.Addr())
	return s.Close, nil
}
