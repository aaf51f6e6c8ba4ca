package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/minillm"
	"example.com/minillm/kvcache"
)

// modelFlags are the flags of every command that computes.
type modelFlags struct {
	source    sourceFlags
	threads   int
	context   int
	rows      kvcache.Format
	reference bool
}

func (f *modelFlags) register(cmd *cobra.Command) {
	f.source.register(cmd)
	cmd.Flags().IntVar(&f.threads, "threads", 0, "threads that compute (default: GOMAXPROCS)")
	cmd.Flags().TextVar(&f.rows, "kv-format", kvcache.I16, "`format` of keys and values: i16, q8 (half the memory) or f32")
	complete(cmd, "kv-format", "i16", "q8", "f32")
}

// check tells wrong use before anything is loaded.
func (f *modelFlags) check() error {
	if f.threads < 0 {
		return usagef("--threads %d: must be at least 1", f.threads)
	}
	return nil
}

func (f *modelFlags) options() minillm.Options {
	return minillm.Options{Threads: f.threads, Context: f.context, KVFormat: f.rows, Reference: f.reference}
}

// open opens the model for one request at a time.
func (f *modelFlags) open(ctx context.Context) (*minillm.Model, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	src, err := f.source.find(ctx)
	if err != nil {
		return nil, err
	}
	o := f.options()
	o.Parallel = 1
	return src.model(ctx, o)
}

// interruptible returns what f does, unless ctx ends before: the process is
// then about to end, and f is left behind.
func interruptible[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return result{}.value, ctx.Err()
	}
}

// text returns an argument, or standard input where it is "-".
func text(ctx context.Context, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	b, err := interruptible(ctx, func() ([]byte, error) { return io.ReadAll(os.Stdin) })
	if err != nil {
		return "", fmt.Errorf("standard input: %w", err)
	}
	return string(b), nil
}
