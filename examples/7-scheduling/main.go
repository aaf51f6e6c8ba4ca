// 7-scheduling adds the scheduler: four requests with memory for three. It shows
// every step: what is computed, who loses its memory, what of it is found again.
//
//	go run ./examples/7-scheduling [--model FILE.gguf]
package main

import (
	"context"
	"errors"
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
	"example.com/minillm/paged"
	"example.com/minillm/scheduler"
	"example.com/minillm/transformer"
)

func main() {
	path := flag.String("model", "", "model file; without one, a tiny model of random weights")
	flag.Parse()
	open.Check(run(os.Stdout, *path))
}

func run(w io.Writer, path string) error {
	m, t, err := open.Random(path)
	if err != nil {
		return err
	}
	defer m.Close()
	text := t.Encode(nil, strings.Repeat("The cat sat on the mat and looked at the moon. ", 9))
	specs := []batch.Spec{
		{Prompt: text[:53], Max: 24, Priority: 1}, // A: the last in the order, though the first that came
		{Prompt: text[1:14], Max: 20},
		{Prompt: text[2:20], Max: 24},
		{Prompt: text[3:7], Max: 6},
	}
	cache, err := paged.New(m.Shape(), paged.Options{Positions: 8 * 16, Block: 16})
	if err != nil {
		return err
	}
	policy := scheduler.New(cache, scheduler.Config{MaxTokens: 32, Watermark: -1})
	seqs, err := watch(w, m, policy, cache, specs)
	if err != nil {
		return err
	}
	st := policy.Stats()
	fmt.Fprintf(w, "\n%d preemptions gave up %d computed tokens, of which %d were found again\n", st.Preempted, st.Lost, st.Regained)
	return compare(w, m, seqs)
}

// watch serves the requests and prints every step.
func watch(w io.Writer, m *transformer.Model, p batch.Policy, cache *paged.Cache, specs []batch.Spec) ([]*batch.Sequence, error) {
	seqs, had := make([]*batch.Sequence, len(specs)), make([]bool, len(specs))
	for i, spec := range specs {
		seqs[i] = batch.NewSequence(spec)
		if err := p.Add(seqs[i]); err != nil {
			return nil, err
		}
	}
	runner := batch.NewRunner(m)
	for step := 1; ; step++ {
		work := p.Schedule(time.Time{})
		if len(work) == 0 {
			return seqs, nil
		}
		var events []string
		for i, s := range seqs {
			switch has := s.Admitted(); {
			case s.Finish() != batch.Running:
			case had[i] && !has:
				events = append(events, fmt.Sprintf("%c loses its blocks", 'A'+i))
			case !had[i] && has && s.Computed() > 0:
				events = append(events, fmt.Sprintf("%c is back and finds %d of %d", 'A'+i, s.Computed(), len(s.Tokens())))
			}
			had[i] = s.Admitted()
		}
		line := fmt.Sprintf("step %2d  %-18s  %d blocks free  %s", step, plan(seqs, work), cache.Stats().Free, strings.Join(events, ", "))
		fmt.Fprintln(w, strings.TrimRight(line, " "))
		if err := runner.Step(work); err != nil {
			return nil, err
		}
	}
}

// plan writes how many tokens a step computes of each request.
func plan(seqs []*batch.Sequence, work []batch.Work) string {
	var parts []string
	for _, w := range work {
		parts = append(parts, fmt.Sprintf("%c+%d", 'A'+slices.Index(seqs, w.Seq), w.N))
	}
	return strings.Join(parts, " ")
}

// compare serves each request alone, in memory of its own.
func compare(w io.Writer, m *transformer.Model, seqs []*batch.Sequence) error {
	cache, err := kvcache.NewContiguous(m.Shape(), 1, 128, kvcache.I16)
	if err != nil {
		return err
	}
	for _, s := range seqs {
		alone, p := batch.NewSequence(*s.Spec()), batch.NewStatic(cache, 1)
		err := errors.Join(p.Add(alone), batch.Run(context.Background(), batch.NewRunner(m), p))
		if err != nil || !slices.Equal(alone.Output(), s.Output()) {
			return fmt.Errorf("%v disturbed, %v alone, %v", s.Output(), alone.Output(), err)
		}
	}
	fmt.Fprintln(w, "each request has the tokens that it has alone")
	return nil
}
