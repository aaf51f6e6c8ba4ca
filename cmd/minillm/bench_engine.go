package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"example.com/minillm/batch"
	"example.com/minillm/kvcache"
	"example.com/minillm/paged"
	"example.com/minillm/scheduler"
	"example.com/minillm/transformer"
)

type benchEngine struct {
	model   modelFlags
	prompt  []int
	gen     int
	batches []int
	depths  []int
	reps    int
	json    bool
}

func newBenchEngine() *cobra.Command {
	b := &benchEngine{}
	cmd := &cobra.Command{
		Use:   "engine",
		Short: "Measure prefill, decode and batched decode beside what the machine allows",
		Long: `Measure prefill (pp), decode (tg), decode at a depth (tg@) and decode of several
sequences together (batch), through the scheduler and paged memory, as a server
computes them. The median of the repetitions counts, after one that warms up.

"share" is the least time that the machine needs, for the bytes that must be read
or the multiply-adds that must be done, by the time that was taken. A probe
measures the machine's limits before the first row and after the last: how fast it
reads as much memory as the weights take, and multiplies and adds.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, args []string) error { return b.run(cmd.Context()) },
	}
	b.model.register(cmd)
	fs := cmd.Flags()
	fs.IntSliceVar(&b.prompt, "prompt", []int{512}, "tokens of prefill; several with commas, none with 0")
	fs.IntVar(&b.gen, "gen", 64, "tokens to generate")
	fs.IntSliceVar(&b.batches, "batch", []int{1, 4, 16}, "sequences that decode together")
	fs.IntSliceVar(&b.depths, "depth", []int{0, 4096}, "positions before the first token that is timed; with 1 among --batch, only that one goes deeper than 0")
	fs.IntVar(&b.reps, "reps", 3, "repetitions")
	fs.BoolVar(&b.json, "json", false, "print one line of JSON")
	return cmd
}

func (b *benchEngine) check() error {
	if err := b.model.check(); err != nil {
		return err
	}
	if b.gen < 1 || b.reps < 1 || slices.ContainsFunc(b.batches, func(n int) bool { return n < 1 }) {
		return usagef("want --gen, --reps and each --batch of at least 1")
	}
	if slices.ContainsFunc(slices.Concat(b.prompt, b.depths), func(n int) bool { return n < 0 }) {
		return usagef("--prompt and --depth must not be negative")
	}
	return nil
}

// benchRow is one measured figure.
type benchRow struct {
	Test       string  `json:"test"`
	Rate       float64 `json:"tok_s"` // median
	Min        float64 `json:"min"`
	Max        float64 `json:"max"`
	Share      float64 `json:"share"`
	Bytes      float64 `json:"bytes_per_token"`
	Operations float64 `json:"operations_per_token"`       // multiply-adds of 8 bits, counted twice
	Floats     float64 `json:"float_operations_per_token"` // of float32
}

// benchResult is what bench engine --json prints.
type benchResult struct {
	Model    string         `json:"model"`
	KVFormat kvcache.Format `json:"kv_format"`
	Rows     []benchRow     `json:"rows"`
	Machine  machine        `json:"machine"`
}

// task is a test of so many sequences: a prompt, then tokens that are timed.
// With none the prompt itself is timed.
type task struct {
	name        string
	sequences   int
	prompt, gen int
}

// tasks are the tests that the flags ask for.
func (b *benchEngine) tasks() (all []task) {
	for _, n := range b.prompt {
		if n > 0 {
			all = append(all, task{name: "pp" + strconv.Itoa(n), sequences: 1, prompt: n})
		}
	}
	for _, n := range b.batches {
		for _, depth := range b.depths {
			name := "tg" + strconv.Itoa(b.gen)
			if n > 1 {
				name = "batch" + strconv.Itoa(n)
			}
			if depth > 0 {
				name += "@" + strconv.Itoa(depth)
			}
			if n == 1 || depth == 0 || !slices.Contains(b.batches, 1) { // several deep sequences take long
				all = append(all, task{name: name, sequences: n, prompt: depth + 1, gen: b.gen})
			}
		}
	}
	return all
}

func (b *benchEngine) run(ctx context.Context) error {
	if err := b.check(); err != nil {
		return err
	}
	src, err := b.model.source.find(ctx)
	if err != nil {
		return err
	}
	e, err := b.open(ctx, src)
	if err != nil {
		return err
	}
	defer e.model.Close()
	r := benchResult{Model: src.name(), KVFormat: e.rows, Rows: []benchRow{}, Machine: probe(e.threads, int(e.cost.weights))}
	for _, t := range b.tasks() {
		if t.prompt+t.gen > e.model.Context() {
			fmt.Fprintf(os.Stderr, "%s: left out, the model was trained on %d positions\n", t.name, e.model.Context())
			continue
		}
		row, err := b.measure(ctx, e, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		r.Rows = append(r.Rows, row)
		fmt.Fprintf(os.Stderr, "%s: %.1f tok/s\n", t.name, row.Rate)
	}
	r.Machine = r.Machine.better(probe(e.threads, int(e.cost.weights)))
	for i := range r.Rows {
		r.Rows[i].Share = r.Machine.share(&r.Rows[i])
	}
	if b.json {
		return printed(json.NewEncoder(os.Stdout).Encode(r))
	}
	return printed(r.print(os.Stdout))
}

// engine is a model behind the scheduler and paged memory.
type engine struct {
	model   *transformer.Model
	rows    kvcache.Format
	cost    cost
	threads int
	random  *rand.Rand
}

func (b *benchEngine) open(ctx context.Context, src source) (*engine, error) {
	f, err := src.file()
	if err != nil {
		return nil, err
	}
	o := transformer.Options{Threads: b.model.threads}
	d, err := transformer.Describe(f, o)
	f.Close()
	if err != nil {
		return nil, err
	}
	m, err := src.weights(ctx, o)
	if err != nil {
		return nil, err
	}
	threads := runtime.GOMAXPROCS(0)
	if b.model.threads > 0 {
		threads = min(threads, b.model.threads)
	}
	c := costOf(&d, m.Shape().Bytes(b.model.rows))
	return &engine{model: m, rows: b.model.rows, cost: c, threads: threads, random: rand.New(rand.NewPCG(1, 2))}, nil
}

// measure repeats a task: once to warm up, then what counts.
func (b *benchEngine) measure(ctx context.Context, e *engine, t task) (benchRow, error) {
	var rates []float64
	for i := range b.reps + 1 {
		d, err := e.time(ctx, t)
		if err != nil {
			return benchRow{}, err
		}
		tokens := t.prompt
		if t.gen > 0 {
			tokens = t.gen * t.sequences
		}
		if i > 0 {
			rates = append(rates, float64(tokens)/d.Seconds())
		}
	}
	slices.Sort(rates)
	row := benchRow{Test: t.name, Rate: median(rates), Min: rates[0], Max: rates[len(rates)-1]}
	e.cost.perToken(t, &row)
	return row, nil
}

// median returns the middle of sorted values.
func median(x []float64) float64 { return (x[(len(x)-1)/2] + x[len(x)/2]) / 2 }

// time returns how long the timed part of a task takes.
func (e *engine) time(ctx context.Context, t task) (time.Duration, error) {
	cache, err := paged.New(e.model.Shape(), paged.Options{
		Positions: t.sequences * (t.prompt + t.gen + 2*paged.DefaultBlock),
		Format:    e.rows,
	})
	if err != nil {
		return 0, err
	}
	r, p := batch.NewRunner(e.model), scheduler.New(cache, scheduler.Config{MaxSeqs: t.sequences, Watermark: -1})
	var seqs []*batch.Sequence
	for range t.sequences {
		seqs = append(seqs, batch.NewSequence(e.spec(t)))
		if err := p.Add(seqs[len(seqs)-1]); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		work := p.Schedule(time.Now())
		if len(work) == 0 {
			break
		}
		if err := r.Step(work); err != nil {
			return 0, err
		}
		if t.gen > 0 && slices.ContainsFunc(seqs, func(s *batch.Sequence) bool { return len(s.Output()) <= 1 }) {
			start = time.Now() // the clock starts when all have their first token
		}
	}
	d := time.Since(start)
	for _, s := range seqs {
		if s.Err() != nil {
			return 0, s.Err()
		}
	}
	return d, nil
}

// spec asks for a task with random tokens, which no cache has seen.
func (e *engine) spec(t task) batch.Spec {
	prompt := make([]int32, t.prompt)
	for i := range prompt {
		prompt[i] = int32(e.random.IntN(e.model.VocabSize()))
	}
	return batch.Spec{Prompt: prompt, Max: t.gen + 1}
}

func (r *benchResult) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "test\ttok/s\tmin\tmax\tMB/token\tMop/token\tshare of the limit\t")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%.1f\t%.2f\t%.0f\t%.0f %%\t\n", row.Test, row.Rate, row.Min, row.Max, row.Bytes/1e6, (row.Operations+row.Floats)/1e6, 100*row.Share)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", r.Machine)
	return err
}
