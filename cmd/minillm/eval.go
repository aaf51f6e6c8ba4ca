package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"example.com/minillm/kvcache"
	"example.com/minillm/sampling"
	"example.com/minillm/tokenizer"
	"example.com/minillm/transformer"
)

// evalRows is how many rows of logits are held at a time: a row of a large
// vocabulary takes a megabyte.
const evalRows = 64

type eval struct {
	model  modelFlags
	file   string
	window int
	limit  int
	kl     bool
	json   bool
}

func newEval() *cobra.Command {
	e := &eval{}
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure the perplexity of a model on a text, and what the fast path costs in accuracy",
		Long: `Measure the perplexity of a model on the first tokens of a text, in windows that
each begin afresh; every token of a window but its first is counted. Where the
model wants a BOS token, each window begins with one in place of its last token.

--kl adds the mean Kullback-Leibler divergence of the fast path's distributions
from the float32 path's, over the second half of each window; with --kv-format f32
what remains is not due to rows.`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd.Context()) },
	}
	e.model.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&e.file, "file", "", "text `file`")
	fs.IntVar(&e.window, "window", 512, "tokens of a window")
	fs.IntVar(&e.limit, "limit", 4096, "most tokens of the text")
	fs.BoolVar(&e.model.reference, "reference", false, "compute in float32, with f32 keys and values")
	fs.BoolVar(&e.kl, "kl", false, "compare the fast path with the float32 path, too")
	fs.BoolVar(&e.json, "json", false, "print one line of JSON")
	return cmd
}

// evalResult is what eval --json prints.
type evalResult struct {
	PPL       float64   `json:"ppl"`
	PerWindow []float64 `json:"ppl_per_window"`
	Tokens    int       `json:"tokens"`
	KL        *float64  `json:"kl,omitempty"`
}

func (e *eval) run(ctx context.Context) error {
	if err := e.check(); err != nil {
		return err
	}
	src, err := e.model.source.find(ctx)
	if err != nil {
		return err
	}
	windows, err := e.windows(src)
	if err != nil {
		return err
	}
	m, err := e.load(ctx, src, e.model.reference)
	if err != nil {
		return err
	}
	defer m.Close()
	var ref *scorer
	if e.kl {
		if ref, err = e.load(ctx, src, true); err != nil {
			return err
		}
		defer ref.Close()
	}
	r, err := e.measure(ctx, m, ref, windows)
	if err != nil {
		return err
	}
	return e.report(r)
}

func (e *eval) check() error {
	if e.file == "" || e.window < 2 || e.limit < e.window {
		return usagef("want --file, --window of at least 2 and --limit of at least a window")
	}
	return e.model.check()
}

// windows cuts the text into windows of ids.
func (e *eval) windows(src source) ([][]int32, error) {
	text, err := os.ReadFile(e.file)
	if err != nil {
		return nil, err
	}
	t, err := src.tokenizer()
	if err != nil {
		return nil, err
	}
	ids := t.Encode(nil, string(text))
	ids = ids[:min(len(ids), e.limit)/e.window*e.window]
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s: fewer tokens than one window of %d", e.file, e.window)
	}
	return cut(ids, e.window, t), nil
}

func cut(ids []int32, window int, t tokenizer.Tokenizer) [][]int32 {
	bos, add := t.BOS()
	var windows [][]int32
	for ; len(ids) > 0; ids = ids[window:] {
		w := ids[:window:window]
		if add {
			w = append([]int32{bos}, w[:window-1]...)
		}
		windows = append(windows, w)
	}
	return windows
}

// measure computes all windows. Logits of ref, if given, are compared with m's.
func (e *eval) measure(ctx context.Context, m, ref *scorer, windows [][]int32) (*evalResult, error) {
	r := &evalResult{}
	var sum, kl float64
	var counted, compared int
	for i, w := range windows {
		nll, divergence, err := score(ctx, m, ref, w)
		if err != nil {
			return nil, err
		}
		sum, kl = sum+nll, kl+divergence
		counted, compared = counted+len(w)-1, compared+len(w)-1-len(w)/2
		r.Tokens += len(w)
		r.PerWindow = append(r.PerWindow, math.Exp(nll/float64(len(w)-1)))
		fmt.Fprintf(os.Stderr, "window %d of %d: perplexity %.4f\n", i+1, len(windows), r.PerWindow[i])
	}
	r.PPL = math.Exp(sum / float64(counted))
	if ref != nil {
		kl /= float64(compared)
		r.KL = &kl
	}
	return r, nil
}

// score returns the negative log-likelihood of a window's tokens after the
// first, and the summed divergence from ref over its second half.
func score(ctx context.Context, m, ref *scorer, window []int32) (nll, kl float64, err error) {
	if err := m.begin(len(window)); err != nil {
		return 0, 0, err
	}
	if ref != nil {
		if err := ref.begin(len(window)); err != nil {
			return 0, 0, err
		}
	}
	for at := 0; at < len(window); at += evalRows {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		n := min(evalRows, len(window)-at)
		rows, err := m.rows(window[at:at+n], at)
		if err != nil {
			return 0, 0, err
		}
		var refs []float32
		if ref != nil {
			if refs, err = ref.rows(window[at:at+n], at); err != nil {
				return 0, 0, err
			}
		}
		for i := range min(n, len(window)-1-at) {
			row := rows[i*m.VocabSize():][:m.VocabSize()]
			sampling.LogSoftmax(row, row)
			nll -= float64(row[window[at+i+1]])
			if ref != nil && at+i >= len(window)/2 {
				kl += divergence(refs[i*m.VocabSize():][:m.VocabSize()], row)
			}
		}
	}
	return nll, kl, nil
}

// divergence returns KL(p||q) of reference logits p, which it overwrites, and
// log-probabilities q.
func divergence(p, q []float32) float64 {
	sampling.LogSoftmax(p, p)
	var sum float64
	for i, lp := range p {
		sum += math.Exp(float64(lp)) * float64(lp-q[i])
	}
	return sum
}

// scorer computes the logits of every position of a window.
type scorer struct {
	*transformer.Model
	format kvcache.Format
	region kvcache.Region
	logits []float32
}

func (e *eval) load(ctx context.Context, src source, reference bool) (*scorer, error) {
	m, err := src.weights(ctx, transformer.Options{Threads: e.model.threads, Reference: reference})
	if err != nil {
		return nil, err
	}
	s := &scorer{Model: m, format: e.model.rows, logits: make([]float32, evalRows*m.VocabSize())}
	if reference {
		s.format = kvcache.F32
	}
	return s, nil
}

// begin forgets the window before, and makes room for n positions.
func (s *scorer) begin(n int) error {
	cache, err := kvcache.NewContiguous(s.Shape(), 1, n, s.format)
	if err != nil {
		return err
	}
	if s.region, _, err = cache.Open(nil, ""); err != nil {
		return err
	}
	return s.region.Grow(n)
}

// rows computes tokens, which begin at pos, and returns [len(tokens)][VocabSize]
// logits, valid until the next call.
func (s *scorer) rows(tokens []int32, pos int) ([]float32, error) {
	logits := s.logits[:len(tokens)*s.VocabSize()]
	err := s.Forward([]transformer.Chunk{{Tokens: tokens, Pos: pos, KV: s.region, Logits: logits}})
	return logits, err
}

func (e *eval) report(r *evalResult) error {
	if e.json {
		return printed(json.NewEncoder(os.Stdout).Encode(r))
	}
	text := fmt.Sprintf("perplexity %.4f over %d tokens\n", r.PPL, r.Tokens)
	if r.KL != nil {
		text += fmt.Sprintf("mean KL divergence from the float32 path %.5f\n", *r.KL)
	}
	_, err := fmt.Print(text)
	return printed(err)
}
