package main

import (
	"slices"

	"github.com/spf13/cobra"

	"example.com/minillm"
	"example.com/minillm/sampling"
)

// requestFlags are the flags that say how to generate. Greedy by default.
type requestFlags struct {
	sampling  sampling.Params
	maxTokens int
	stop      []string
	think     bool
}

func (f *requestFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Float64Var(&f.sampling.Temperature, "temperature", 0, "0 is greedy; higher is more varied")
	fs.IntVar(&f.sampling.TopK, "top-k", 0, "sample among the k most probable tokens; 0 is off")
	fs.Float64Var(&f.sampling.TopP, "top-p", 0, "sample among the most probable tokens that sum to p; 0 is off")
	fs.Float64Var(&f.sampling.MinP, "min-p", 0, "sample among tokens at least p times as probable as the best; 0 is off")
	fs.Float64Var(&f.sampling.RepetitionPenalty, "repeat-penalty", 0, "above 1 makes tokens that are there already less probable; 0 is off")
	fs.Uint64Var(&f.sampling.Seed, "seed", 0, "of the random numbers: the same seed gives the same text")
	fs.IntVar(&f.maxTokens, "max-tokens", 0, "most new tokens (default: the rest of the context)")
	fs.StringArrayVar(&f.stop, "stop", nil, "end the text before this string; may be repeated")
	fs.BoolVar(&f.think, "think", false, "let a model that can think do so")
}

func (f *requestFlags) check() error {
	if err := f.sampling.Validate(); err != nil {
		return usageError{err}
	}
	if f.maxTokens < 0 {
		return usagef("--max-tokens %d: must be at least 1", f.maxTokens)
	}
	if slices.Contains(f.stop, "") {
		return usagef("--stop: must not be empty")
	}
	return nil
}

func (f *requestFlags) request() minillm.Request {
	return minillm.Request{MaxTokens: f.maxTokens, Sampling: f.sampling, Stop: f.stop, Thinking: f.think}
}
