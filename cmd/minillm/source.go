package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/minillm"
	"example.com/minillm/internal/checkpoint"
	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/hub"
	"example.com/minillm/tinymodel"
	"example.com/minillm/tokenizer"
	"example.com/minillm/transformer"
)

// sourceFlags say which model is meant.
type sourceFlags struct {
	model string
	hub   hubFlags
}

func (f *sourceFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.model, "model", "", "`file` (GGUF) or folder of a model in safetensors, or hf.co/owner/repo:file, which is fetched if it is not there (default: a small embedded model)")
	cmd.MarkFlagFilename("model", "gguf")
	f.hub.register(cmd)
}

// source is where the bytes of a model are.
type source struct{ path string } // of its file; empty for the embedded model

// find returns the model that is meant. One on a hub is fetched unless it is in
// the cache.
func (f *sourceFlags) find(ctx context.Context) (source, error) {
	if f.model == "" || !onHub(f.model) {
		return source{f.model}, nil
	}
	path, err := f.hub.find(ctx, f.model)
	if err != nil && !hub.Named(f.model) {
		err = fmt.Errorf("no file is called %s; as a model on the hub: %w", f.model, err)
	}
	return source{path}, err
}

// hint tells who named no model what answers.
func (f *sourceFlags) hint() {
	if f.model == "" {
		fmt.Fprintln(os.Stderr, "minillm: a very small embedded model answers; --model takes a better one")
	}
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

func (s source) embedded() bool { return s.path == "" }

// name is how clients call the model.
func (s source) name() string {
	if s.embedded() {
		return "tinymodel"
	}
	if dir, ok := checkpoint.Folder(s.path); ok {
		if path, err := filepath.Abs(dir); err == nil {
			dir = path
		}
		return filepath.Base(dir)
	}
	return strings.TrimSuffix(filepath.Base(s.path), filepath.Ext(s.path))
}

// file opens the model's file.
func (s source) file() (*gguf.File, error) {
	if s.embedded() {
		return gguf.Parse(tinymodel.GGUF)
	}
	f, err := checkpoint.Open(s.path)
	if err != nil {
		return nil, explain(s.path, err)
	}
	return f, nil
}

func (s source) tokenizer() (tokenizer.Tokenizer, error) {
	f, err := s.file()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return tokenizer.FromGGUF(f)
}

// weights opens the model without an engine, and shows how far it is.
func (s source) weights(ctx context.Context, o transformer.Options) (*transformer.Model, error) {
	return load(ctx, s, &o.Progress, func() (*transformer.Model, error) {
		if s.embedded() {
			return transformer.LoadBytes(tinymodel.GGUF, o)
		}
		return transformer.Load(s.path, o)
	})
}

// model opens the model with its engine, and shows how far it is.
func (s source) model(ctx context.Context, o minillm.Options) (*minillm.Model, error) {
	return load(ctx, s, &o.Progress, func() (*minillm.Model, error) {
		if s.embedded() {
			return minillm.OpenBytes(tinymodel.GGUF, o)
		}
		return minillm.Open(s.path, o)
	})
}

// load opens a model with a bar, for as long as ctx lasts.
func load[M any](ctx context.Context, s source, progress *func(done, total int64), open func() (M, error)) (M, error) {
	bar := newBar("loading " + s.name())
	defer bar.end()
	*progress = bar.show
	m, err := interruptible(ctx, open)
	if err != nil && !s.embedded() {
		err = explain(s.path, err)
	}
	return m, err
}
