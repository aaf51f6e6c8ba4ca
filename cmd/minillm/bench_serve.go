package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/minillm/bench"
	"example.com/minillm/bench/report"
)

type benchServe struct {
	target benchTarget
	load   benchLoad
	limits bench.Limits
	sweep  benchSweep
	name   string
	json   bool
	save   string
	report string
	flags  *pflag.FlagSet
}

func newBenchServe() *cobra.Command {
	b := &benchServe{}
	cmd := &cobra.Command{
		Use:   "serve --url URL",
		Short: "Measure any OpenAI-compatible server under load",
		Long: `Send load to any server that streams OpenAI's chat completions, and print how
long users would wait and how much the server puts out.

With --concurrency a number of clients each send a request when their last one is
answered. With --rate, or --replay, requests are due at times fixed beforehand,
whatever the server does, and all latencies count from then.

Ctrl-C ends a run early; what was measured is printed.`,
		Example: `  minillm bench serve --url http://localhost:8080
  minillm bench serve --url http://localhost:8080 --concurrency 16 --prefix 200 --input 240 --output 64 --ignore-eos
  minillm bench serve --url http://localhost:8080 --rate 4 --time 60s --report run.html
  minillm bench serve --url http://localhost:8080 --sweep --limit-ttft 1s --limit-tpot 100ms --report sweep.html`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, args []string) error { return b.run(cmd.Context()) },
	}
	fs := cmd.Flags()
	b.flags = fs
	b.target.register(fs)
	b.load.register(fs)
	b.sweep.register(fs)
	fs.DurationVar(&b.limits.TTFT, "limit-ttft", 0, "goodput counts requests whose first token came within this time")
	fs.DurationVar(&b.limits.ITL, "limit-itl", 0, "… and every further token within this time of the one before")
	fs.DurationVar(&b.limits.TPOT, "limit-tpot", 0, "… and further tokens within this time, on average")
	fs.DurationVar(&b.limits.E2E, "limit-e2e", 0, "… and the whole answer within this time")
	fs.StringVar(&b.name, "name", "", "what the run is called in reports (default: the URL and the model)")
	fs.BoolVar(&b.json, "json", false, "print one line of JSON with all figures, settings and requests")
	fs.StringVar(&b.save, "save", "", "write that line to a `file`, too: for bench compare")
	fs.StringVar(&b.report, "report", "", "write a page with plots to an HTML `file`")
	return cmd
}

func (b *benchServe) run(ctx context.Context) error {
	if err := b.check(); err != nil {
		return err
	}
	target, err := b.target.open(ctx)
	if err != nil {
		return err
	}
	r := &bench.Result{Name: b.title(target), Started: time.Now(), Config: b.config(), Machine: bench.ThisMachine()}
	if b.sweep.on {
		err = b.search(ctx, target, r)
	} else {
		err = b.measure(ctx, target, r)
	}
	if err != nil {
		return err
	}
	if err := b.write(r); err != nil {
		return err
	}
	return verdict(ctx, &r.Summary)
}

func (b *benchServe) check() error {
	if err := b.target.check(); err != nil {
		return err
	}
	if b.limits.TTFT < 0 || b.limits.ITL < 0 || b.limits.TPOT < 0 || b.limits.E2E < 0 {
		return usagef("limits must not be negative")
	}
	if !(b.sweep.share > 0 && b.sweep.share <= 1) || b.sweep.time <= 0 {
		return usagef("want --sweep-share above 0 and at most 1, --sweep-time above 0")
	}
	if b.sweep.on && b.limits == (bench.Limits{}) {
		return usagef("--sweep looks for the highest rate that keeps limits: set --limit-ttft or another")
	}
	return b.load.check(b.flags, b.sweep.on)
}

// measure is a run under one load.
func (b *benchServe) measure(ctx context.Context, target bench.Target, r *bench.Result) error {
	load, err := b.load.load(0)
	if err != nil {
		return err
	}
	p := newProgressLine()
	load.Progress = p.show
	r.Traces = bench.Run(ctx, target, load)
	p.end()
	r.Summary = bench.Summarize(r.Traces, b.limits)
	return nil
}

// title is what the run is called.
func (b *benchServe) title(t *bench.HTTP) string {
	if b.name != "" {
		return b.name
	}
	host := b.target.url
	if u, err := url.Parse(host); err == nil && u.Host != "" {
		host = u.Host
	}
	return strings.TrimSpace(host + " " + t.Model)
}

// config is every flag but those that say where to, and by which key.
func (b *benchServe) config() map[string]string {
	settings := make(map[string]string)
	b.flags.VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "url", "api-key", "name", "json", "save", "report", "help":
		default:
			settings[f.Name] = f.Value.String()
		}
	})
	return settings
}

// write writes the files that were asked for, and prints the result: what cannot
// be written must not cost the run.
func (b *benchServe) write(r *bench.Result) error {
	var errs []error
	if b.save != "" {
		errs = append(errs, writeFile(b.save, r.WriteJSON))
	}
	if b.report != "" {
		errs = append(errs, writeFile(b.report, func(w io.Writer) error { return report.Write(w, r) }))
	}
	return cmp.Or(append(errs, printed(b.print(r)))...)
}

func (b *benchServe) print(r *bench.Result) error {
	if b.json {
		return r.WriteJSON(os.Stdout)
	}
	if b.sweep.on {
		if err := b.sweep.print(os.Stdout, r); err != nil {
			return err
		}
	}
	return r.Summary.WriteTable(os.Stdout)
}

// verdict is the error of a run that measured nothing, or not all.
func verdict(ctx context.Context, s *bench.Summary) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted after %d requests", s.Answered+s.Failed)
	case s.Failed > 0 && s.Answered == 0:
		return fmt.Errorf("all %d requests failed", s.Failed)
	}
	return nil
}

// writeFile creates a file; what does not become whole is an error.
func writeFile(path string, write func(w io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
