package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/spf13/pflag"

	"example.com/minillm/bench"
)

// benchTarget are the flags that say which server is asked, and how.
type benchTarget struct {
	url         string
	model       string
	key         string
	completions bool
	ignoreEOS   bool
	extra       string
}

func (t *benchTarget) register(fs *pflag.FlagSet) {
	fs.StringVar(&t.url, "url", "", "`address` of the server, such as http://localhost:8080")
	fs.StringVar(&t.model, "model", "", "model, by the server's name for it (default: the first that it lists)")
	fs.StringVar(&t.key, "api-key", "", "API key of the server")
	fs.BoolVar(&t.completions, "completions", false, "send raw text to /v1/completions, for models without a chat template")
	fs.BoolVar(&t.ignoreEOS, "ignore-eos", false, "ask for answers that go on to their full length (the field ignore_eos, which some servers know)")
	fs.StringVar(&t.extra, "extra", "", "`JSON` object of further fields of each request")
}

func (t *benchTarget) check() error {
	if t.url == "" {
		return usagef("which server? Name it: --url http://localhost:8080")
	}
	if u, err := url.Parse(t.url); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return usagef("--url %q: want an address such as http://localhost:8080", t.url)
	}
	if _, err := t.fields(); err != nil {
		return usagef("--extra: %w", err)
	}
	return nil
}

// fields are the further fields of each request.
func (t *benchTarget) fields() (map[string]any, error) {
	fields := make(map[string]any)
	if t.extra != "" {
		if err := json.Unmarshal([]byte(t.extra), &fields); err != nil || fields == nil {
			return nil, fmt.Errorf("want a JSON object, got %s", t.extra)
		}
	}
	if t.ignoreEOS {
		fields["ignore_eos"] = true
	}
	return fields, nil
}

// open finds out the model's name. A server that does not tell is asked without:
// what is wrong with it, the run will show.
func (t *benchTarget) open(ctx context.Context) (*bench.HTTP, error) {
	fields, err := t.fields()
	if err != nil {
		return nil, err
	}
	h := &bench.HTTP{URL: t.url, Model: t.model, Key: t.key, Completions: t.completions, Extra: fields}
	if h.Model != "" {
		return h, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	models, err := h.Models(ctx)
	if err != nil {
		fmt.Fprintf(os.Stderr, "minillm: %v; going on without the name of a model\n", err)
	}
	if len(models) > 0 {
		h.Model = models[0]
	}
	return h, nil
}
