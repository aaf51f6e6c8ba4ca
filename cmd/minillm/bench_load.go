package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"example.com/minillm/bench"
)

// benchLoad are the flags that say what is sent, and when.
type benchLoad struct {
	bench    bench.Load // its bounds
	requests int
	clients  int
	arrivals bench.Arrivals
	replay   string
	file     string
	prompts  bench.Prompts
	warmUp   int
	seed     uint64
}

// enough requests that a closed loop ends by time and not by count.
const enough = 10_000

func (l *benchLoad) register(fs *pflag.FlagSet) {
	fs.IntVar(&l.requests, "requests", 48, "requests to send; with --time, only if given")
	fs.IntVar(&l.clients, "concurrency", 16, "clients, each with one request at a time; with --rate the most requests under way, only if given")
	fs.Float64Var(&l.arrivals.Rate, "rate", 0, "requests a second, sent when they are due and not when the server is ready")
	fs.Float64Var(&l.arrivals.Burstiness, "burstiness", 1, "of --rate: 1 is a Poisson process, less comes in bursts, more is more even")
	fs.BoolVar(&l.arrivals.Fixed, "even", false, "send at --rate with the same gap each time")
	fs.Float64Var(&l.arrivals.To, "ramp-to", 0, "let --rate go to this one, within the time of --ramp")
	fs.DurationVar(&l.arrivals.Ramp, "ramp", 0, "how long --ramp-to takes")
	fs.StringVar(&l.replay, "replay", "", "send what a JSONL `file` has recorded, at its times (see the package bench)")

	fs.Var((*lengthFlag)(&l.prompts.Input), "input", "tokens of a prompt of random words, a number or a range such as 100-300")
	fs.Var((*lengthFlag)(&l.prompts.Output), "output", "most tokens of an answer, a number or a range; with --prompts, only if given")
	l.prompts.Input, l.prompts.Output = bench.Exactly(240), bench.Exactly(64)
	for _, name := range []string{"input", "output"} {
		fs.Lookup(name).DefValue = fs.Lookup(name).Value.String()
	}
	fs.IntVar(&l.prompts.Prefix, "prefix", 0, "of --input, tokens that requests share, as a system message")
	fs.Float64Var(&l.prompts.Share, "prefix-share", 1, "part of the requests that share it")
	fs.IntVar(&l.prompts.Prefixes, "prefixes", 1, "how many different ones there are")
	fs.IntVar(&l.prompts.Turns, "turns", 1, "of each conversation, which then counts as one of --requests")
	fs.DurationVar(&l.prompts.Think, "think", 0, "pause of the user before each further turn")
	fs.StringVar(&l.file, "prompts", "", "take prompts from a `file` in ShareGPT's form or JSONL, in place of random words")
	fs.Uint64Var(&l.seed, "seed", 1, "of all that is drawn; 0 takes --prompts in their order")

	fs.IntVar(&l.warmUp, "warmup", 0, "requests before those that are measured")
	fs.DurationVar(&l.bench.MaxTime, "time", 0, "end the run after this time")
	fs.DurationVar(&l.bench.Timeout, "timeout", 15*time.Minute, "give a request up after this time")
	fs.DurationVar(&l.bench.Stall, "stall", 5*time.Minute, "give a request up after this time without text")
}

func (l *benchLoad) check(fs *pflag.FlagSet, sweep bool) error {
	if err := l.checkValues(fs); err != nil {
		return err
	}
	if err := l.checkSource(fs); err != nil {
		return err
	}
	open := fs.Changed("rate") || sweep
	switch {
	case fs.Changed("rate") && l.replay != "":
		return usagef("--rate and --replay exclude each other")
	case sweep && l.replay != "":
		return usagef("--sweep and --replay exclude each other")
	case !open && (fs.Changed("burstiness") || l.arrivals.Fixed || fs.Changed("ramp") || fs.Changed("ramp-to")):
		return usagef("--burstiness, --even and --ramp say how requests come at a --rate: which?")
	case fs.Changed("ramp-to") && !fs.Changed("ramp"):
		return usagef("--ramp-to %v: within which time? Say it with --ramp", l.arrivals.To)
	case sweep && (fs.Changed("ramp") || fs.Changed("time")):
		return usagef("--sweep has a rate and a time for each run of its own: --ramp and --time make no sense with it")
	case fs.Changed("rate"):
		if err := l.arrivals.Validate(); err != nil {
			return usageError{err}
		}
	}
	if (open || l.replay != "") && !fs.Changed("concurrency") {
		l.clients = 0
	}
	if l.file != "" && !fs.Changed("output") {
		l.prompts.Output = bench.Length{} // as long as the recorded answers
	}
	if l.bench.MaxTime > 0 && !fs.Changed("requests") {
		l.requests = enough
		if open {
			l.requests = int(math.Ceil(max(l.arrivals.Rate, l.arrivals.To)*l.bench.MaxTime.Seconds()*1.2)) + 10
		}
	}
	return nil
}

// checkSource refuses flags about requests that come from a file as they are.
func (l *benchLoad) checkSource(fs *pflag.FlagSet) error {
	words := []string{"input", "prefix", "prefix-share", "prefixes", "think"}
	for source, without := range map[string][]string{
		"prompts": words,
		"replay":  append(words, "prompts", "requests", "output", "turns", "seed", "warmup"),
	} {
		for _, name := range without {
			if fs.Changed(source) && fs.Changed(name) {
				return usagef("--%s makes no sense with --%s, whose file says it", name, source)
			}
		}
	}
	return nil
}

func (l *benchLoad) checkValues(fs *pflag.FlagSet) error {
	p := &l.prompts
	switch {
	case l.requests < 1 || l.clients < 1 || l.warmUp < 0:
		return usagef("want --requests and --concurrency of at least 1, --warmup of at least 0")
	case p.Prefix < 0 || p.Prefix > 0 && p.Prefix >= p.Input.Min:
		return usagef("--prefix %d: is a part of --input %s, and must leave something of it", p.Prefix, p.Input)
	case !(p.Share > 0 && p.Share <= 1) || p.Prefixes < 1 || p.Turns < 1:
		return usagef("want --prefix-share above 0 and at most 1, --prefixes and --turns of at least 1")
	case p.Think < 0 || l.bench.MaxTime < 0 || l.bench.Timeout <= 0 || l.bench.Stall <= 0:
		return usagef("times must not be negative, --timeout and --stall not 0")
	}
	return nil
}

// load makes the load of a run. Runs of one command get different prompts, or a
// server would find those of the last run in its cache.
func (l *benchLoad) load(run int) (bench.Load, error) {
	load := l.bench
	load.Clients = l.clients
	var err error
	if l.replay != "" {
		load.Requests, load.Starts, err = l.recorded()
		return load, err
	}
	all, err := l.draw(l.warmUp+l.requests, run)
	if err != nil {
		return load, err
	}
	load.WarmUp, load.Requests = all[:l.warmUp], all[l.warmUp:]
	if l.arrivals.Rate > 0 {
		a := l.arrivals
		a.Seed = l.seed
		load.Starts = a.Times(len(load.Requests))
	}
	return load, nil
}

func (l *benchLoad) recorded() ([]bench.Request, []time.Duration, error) {
	f, err := os.Open(l.replay)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	requests, starts, err := bench.Replay(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", l.replay, err)
	}
	return requests, starts, nil
}

// draw makes n requests of random words, or takes them from the file.
func (l *benchLoad) draw(n, run int) ([]bench.Request, error) {
	if l.file == "" {
		p := l.prompts
		p.Seed = l.seed + uint64(run)<<32
		return p.Requests(n), nil
	}
	f, err := os.Open(l.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := bench.Dataset{Turns: l.prompts.Turns, Output: l.prompts.Output, Seed: l.seed}
	requests, err := d.Requests(f, (run+1)*n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.file, err)
	}
	return requests[run*n:], nil
}

// lengthFlag is a length as a flag: "64" or "16-128".
type lengthFlag bench.Length

func (f *lengthFlag) String() string { return bench.Length(*f).String() }
func (f *lengthFlag) Type() string   { return "length" }

func (f *lengthFlag) Set(s string) error {
	low, high, ranged := strings.Cut(s, "-")
	if !ranged {
		high = low
	}
	from, err := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if err != nil || err2 != nil || from < 1 || to < from {
		return fmt.Errorf("want a number of tokens, or a range such as 100-300")
	}
	*f = lengthFlag{from, to}
	return nil
}
