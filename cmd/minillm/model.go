package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/minillm"
	"example.com/minillm/kvcache"
)

// modelFlags are the flags of every command that computes.
type modelFlags struct {
	path      string
	threads   int
	context   int
	rows      kvcache.Format
	reference bool
}

func (f *modelFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "model", "", "model `file` (GGUF)")
	cmd.Flags().IntVar(&f.threads, "threads", 0, "threads that compute (default: GOMAXPROCS)")
	cmd.Flags().TextVar(&f.rows, "kv-format", kvcache.I16, "`format` of keys and values: i16, q8 (half the memory) or f32")
}

// check tells wrong use before anything is loaded.
func (f *modelFlags) check() error {
	if f.path == "" {
		return usagef("which model? Name its file: --model model.gguf")
	}
	if f.threads < 0 {
		return usagef("--threads %d: must be at least 1", f.threads)
	}
	return nil
}

func (f *modelFlags) options() minillm.Options {
	return minillm.Options{Threads: f.threads, Context: f.context, KVFormat: f.rows, Reference: f.reference}
}

// open opens the model for one request at a time.
func (f *modelFlags) open() (*minillm.Model, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	o := f.options()
	o.Parallel = 1
	m, err := minillm.Open(f.path, o)
	if err != nil {
		return nil, explain(f.path, err)
	}
	return m, nil
}

// explain adds to an error of a file that is not there the one that may have
// been meant.
func explain(path string, err error) error {
	if _, missing := os.Stat(path); missing == nil {
		return err
	}
	dir := filepath.Dir(path)
	entries, dirErr := os.ReadDir(dir)
	if dirErr != nil {
		return err
	}
	var there []string
	for _, e := range entries {
		if strings.EqualFold(filepath.Ext(e.Name()), ".gguf") {
			there = append(there, e.Name())
		}
	}
	switch len(there) {
	case 0:
		return err
	case 1, 2, 3:
		return fmt.Errorf("%w; there is %s in %s", err, strings.Join(there, ", "), dir)
	}
	return fmt.Errorf("%w; there are %d .gguf files in %s", err, len(there), dir)
}

// text returns an argument, or standard input where it is "-".
func text(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	b, err := io.ReadAll(os.Stdin)
	if err != nil {
		return "", fmt.Errorf("standard input: %w", err)
	}
	return string(b), nil
}
