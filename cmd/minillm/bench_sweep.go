package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/spf13/pflag"

	"example.com/minillm/bench"
)

// benchSweep are the flags of the search for the highest rate.
type benchSweep struct {
	on    bool
	share float64
	time  time.Duration
}

func (s *benchSweep) register(fs *pflag.FlagSet) {
	fs.BoolVar(&s.on, "sweep", false, "find the highest rate at which the limits are kept; --rate is the one tried first")
	fs.Float64Var(&s.share, "sweep-share", 0.9, "part of the requests that must keep the limits")
	fs.DurationVar(&s.time, "sweep-time", 30*time.Second, "how long each rate is tried, at least 16 requests")
}

// search tries rates. The result is the run at the highest rate that held, or
// the one at the lowest that was tried.
func (b *benchServe) search(ctx context.Context, target bench.Target, r *bench.Result) error {
	runs := make(map[float64][]bench.Trace)
	var failed error
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from := b.load.arrivals.Rate
	r.Sweep = bench.Sweep{From: from, Share: b.sweep.share}.Run(ctx, func(rate float64) bench.Summary {
		traces, err := b.try(ctx, target, rate, len(runs))
		if err != nil {
			failed = err
			cancel()
		}
		runs[rate] = traces
		s := bench.Summarize(traces, b.limits)
		fmt.Fprintf(os.Stderr, "%.3g requests/s: %.1f %% of %d kept %s\n", rate, 100*s.GoodPart, s.Requests, b.limits)
		return s
	})
	if failed != nil {
		return failed
	}
	if len(r.Sweep) == 0 {
		return fmt.Errorf("interrupted before the first rate was measured")
	}
	best, ok := bench.Highest(r.Sweep)
	if !ok {
		best = r.Sweep[0]
	}
	r.Traces, r.Summary = runs[best.Rate], best.Summary
	return nil
}

// try measures one rate.
func (b *benchServe) try(ctx context.Context, target bench.Target, rate float64, run int) ([]bench.Trace, error) {
	l := b.load
	l.arrivals.Rate = rate
	l.requests = max(16, int(math.Ceil(rate*b.sweep.time.Seconds())))
	load, err := l.load(run)
	if err != nil {
		return nil, err
	}
	p := newProgressLine()
	load.Progress = p.show
	traces := bench.Run(ctx, target, load)
	p.end()
	return traces, nil
}

// print prints all rates that were tried.
func (s *benchSweep) print(w io.Writer, r *bench.Result) error {
	fmt.Fprintf(w, "%12s %8s %8s %12s %12s %12s\n", "requests/s", "held", "good", "TTFT p50 ms", "TTFT p99 ms", "tokens/s")
	for _, p := range r.Sweep {
		held := "no"
		if p.Held {
			held = "yes"
		}
		d := &p.Summary
		fmt.Fprintf(w, "%12.3g %8s %6.1f %% %12.1f %12.1f %12.1f\n", p.Rate, held, 100*d.GoodPart, d.TTFT.P50, d.TTFT.P99, d.OutputRate)
	}
	best, ok := bench.Highest(r.Sweep)
	if !ok {
		_, err := fmt.Fprintf(w, "\nno rate kept %s; the lowest that was tried:\n\n", r.Summary.Limits)
		return err
	}
	_, err := fmt.Fprintf(w, "\nhighest rate that kept %s for %.3g %% of the requests: %.3g requests/s:\n\n", r.Summary.Limits, 100*s.share, best.Rate)
	return err
}
