// 4-kvcache generates the same text twice: with a cache of keys and values, where
// each step computes one token, and without, where it computes all of them.
//
//	go run ./examples/4-kvcache [--model FILE.gguf]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/examples/internal/open"
	"example.com/minillm/kvcache"
	"example.com/minillm/transformer"
)

func main() {
	path := flag.String("model", "", "model file; without one, the embedded model")
	n := flag.Int("tokens", 64, "tokens to generate")
	flag.Parse()
	open.Check(run(os.Stdout, *path, *n))
}

func run(w io.Writer, path string, n int) error {
	m, t, err := open.Model(path)
	if err != nil {
		return err
	}
	defer m.Close()
	spec := batch.Spec{Prompt: t.Encode(nil, "Once upon a time there was a little girl who"), Max: n}
	with, fast, err := generate(m, spec)
	if err != nil {
		return err
	}
	spec.NoCache = true
	without, slow, err := generate(m, spec)
	if err != nil {
		return err
	}
	if !slices.Equal(with, without) {
		return fmt.Errorf("the cache changes what is generated: %v, %v", with, without)
	}

	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\ttokens\tlatency\ttokens/s\t")
	for _, r := range []struct {
		name string
		d    time.Duration
	}{{"with the cache", fast}, {"without", slow}} {
		fmt.Fprintf(table, "%s\t%d\t%v\t%.1f\t\n", r.name, n, r.d.Round(time.Millisecond/10), float64(n)/r.d.Seconds())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "the same tokens, %.1f times as fast\n", slow.Seconds()/fast.Seconds())
	return err
}

// generate computes one sequence by itself.
func generate(m *transformer.Model, spec batch.Spec) ([]int32, time.Duration, error) {
	cache, err := kvcache.NewContiguous(m.Shape(), 1, len(spec.Prompt)+spec.Max, kvcache.I16)
	if err != nil {
		return nil, 0, err
	}
	seq, policy := batch.NewSequence(spec), batch.NewContinuous(cache, 1)
	if err := policy.Add(seq); err != nil {
		return nil, 0, err
	}
	start := time.Now()
	if err := batch.Run(context.Background(), batch.NewRunner(m), policy); err != nil {
		return nil, 0, err
	}
	return seq.Output(), time.Since(start), seq.Err()
}
