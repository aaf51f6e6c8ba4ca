package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/minillm"
	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/hub"
	"example.com/minillm/tokenizer"
	"example.com/minillm/transformer"
)

// sourceFlags say which model is meant.
type sourceFlags struct {
	model string
	hub   hubFlags
}

func (f *sourceFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.model, "model", "", "`file` (GGUF), or hf.co/owner/repo:file, which is fetched if it is not there")
	cmd.MarkFlagFilename("model", "gguf")
	f.hub.register(cmd)
}

func (f *sourceFlags) check() error {
	if f.model == "" {
		return usagef("which model? Name its file: --model model.gguf")
	}
	return nil
}

// source is where the bytes of a model are.
type source struct{ path string }

// find returns the model that is meant. One on a hub is fetched unless it is in
// the cache.
func (f *sourceFlags) find(ctx context.Context) (source, error) {
	if err := f.check(); err != nil {
		return source{}, err
	}
	if !onHub(f.model) {
		return source{f.model}, nil
	}
	path, err := f.hub.find(ctx, f.model)
	if err != nil && !hub.Named(f.model) {
		err = fmt.Errorf("no file is called %s; as a model on the hub: %w", f.model, err)
	}
	return source{path}, err
}

// onHub tells a model on a hub from a file: hf.co/owner/repo and addresses
// always are, a bare owner/repo is unless something of that name is here.
func onHub(model string) bool {
	if hub.Named(model) {
		return true
	}
	owner, repo, ok := strings.Cut(model, "/")
	repo, _, _ = strings.Cut(repo, ":")
	if !ok || owner == "" || owner == "." || owner == ".." || owner == "~" || repo == "" || strings.Contains(repo, "/") {
		return false
	}
	if strings.EqualFold(filepath.Ext(repo), ".gguf") {
		return false
	}
	_, err := os.Stat(owner)
	return os.IsNotExist(err)
}

// name is how clients call the model.
func (s source) name() string {
	return strings.TrimSuffix(filepath.Base(s.path), filepath.Ext(s.path))
}

// file opens the model's file.
func (s source) file() (*gguf.File, error) {
	f, err := gguf.Open(s.path)
	if err != nil {
		return nil, explain(s.path, err)
	}
	return f, nil
}

func (s source) tokenizer() (tokenizer.Tokenizer, error) {
	t, err := tokenizer.Load(s.path)
	if err != nil {
		return nil, explain(s.path, err)
	}
	return t, nil
}

// weights opens the model without an engine, and shows how far it is.
func (s source) weights(ctx context.Context, o transformer.Options) (*transformer.Model, error) {
	bar := newBar("loading " + s.name())
	defer bar.end()
	o.Progress = bar.show
	m, err := interruptible(ctx, func() (*transformer.Model, error) { return transformer.Load(s.path, o) })
	if err != nil {
		return nil, explain(s.path, err)
	}
	return m, nil
}

// model opens the model with its engine, and shows how far it is.
func (s source) model(ctx context.Context, o minillm.Options) (*minillm.Model, error) {
	bar := newBar("loading " + s.name())
	defer bar.end()
	o.Progress = bar.show
	m, err := interruptible(ctx, func() (*minillm.Model, error) { return minillm.Open(s.path, o) })
	if err != nil {
		return nil, explain(s.path, err)
	}
	return m, nil
}
