// 6-batching adds batches: the same requests served by groups that start and end
// together, and by a batch whose free places are filled at once.
//
//	go run ./examples/6-batching [--model FILE.gguf]
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/examples/internal/open"
	"example.com/minillm/kvcache"
	"example.com/minillm/transformer"
)

func main() {
	path := flag.String("model", "", "model file; without one, a tiny model of random weights")
	flag.Parse()
	open.Check(run(os.Stdout, *path))
}

const places = 3

// lengths are the tokens that each request asks for.
var lengths = []int{4, 12, 6, 10, 3, 5, 8, 2}

func run(w io.Writer, path string) error {
	m, t, err := open.Random(path)
	if err != nil {
		return err
	}
	defer m.Close()
	var specs []batch.Spec
	for i, n := range lengths {
		specs = append(specs, batch.Spec{Prompt: t.Encode(nil, fmt.Sprintf("Tell me story number %d.", i+1)), Max: n})
	}
	cache, err := kvcache.NewContiguous(m.Shape(), places, 64, kvcache.I16)
	if err != nil {
		return err
	}

	static, err := serve(w, "static", m, batch.NewStatic(cache, places), specs)
	if err != nil {
		return err
	}
	continuous, err := serve(w, "continuous", m, batch.NewContinuous(cache, places), specs)
	if err != nil {
		return err
	}
	for i := range specs {
		if !slices.Equal(static[i].Output(), continuous[i].Output()) {
			return fmt.Errorf("request %d: the policies give other tokens", i+1)
		}
	}
	fmt.Fprintln(w, "the tokens are the same")
	return nil
}

// serve computes all requests under a policy and draws when each had its place.
func serve(w io.Writer, name string, m *transformer.Model, p batch.Policy, specs []batch.Spec) ([]*batch.Sequence, error) {
	seqs, lines := make([]*batch.Sequence, len(specs)), make([]strings.Builder, len(specs))
	for i, spec := range specs {
		seqs[i] = batch.NewSequence(spec)
		if err := p.Add(seqs[i]); err != nil {
			return nil, err
		}
	}
	runner, steps, tokens := batch.NewRunner(m), 0, 0
	for work := p.Schedule(time.Now()); len(work) > 0; work = p.Schedule(time.Now()) {
		for i, s := range seqs {
			lines[i].WriteByte(mark(s, work))
		}
		if err := runner.Step(work); err != nil {
			return nil, err
		}
		steps++
	}
	for i, s := range seqs {
		tokens += len(s.Output())
		fmt.Fprintf(w, "    request %d  %s\n", i+1, strings.TrimRight(lines[i].String(), " "))
	}
	fmt.Fprintf(w, "%s: %d tokens in %d steps, %.0f %% of %d places busy\n\n",
		name, tokens, steps, 100*float64(tokens)/float64(steps*places), places)
	return seqs, nil
}

// mark is what a request does in a step: wait, compute its prompt, decode.
func mark(s *batch.Sequence, work []batch.Work) byte {
	for _, w := range work {
		switch {
		case w.Seq != s:
		case len(s.Output()) == 0:
			return 'P'
		default:
			return 'd'
		}
	}
	if s.Finish() == batch.Running {
		return '.'
	}
	return ' '
}
