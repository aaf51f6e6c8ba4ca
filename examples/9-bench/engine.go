package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"

	"example.com/minillm/bench"
	"example.com/minillm/serve"
)

// engine is a bench.Target in the same process.
type engine struct {
	text    serve.Text
	noCache bool
	share   bool // let requests share computed prefixes

	mu      sync.Mutex
	asked   int
	answers map[string][]int32 // by prompt
}

// Do is all it takes to measure an engine without a server.
func (e *engine) Do(ctx context.Context, r bench.Request) iter.Seq2[bench.Piece, error] {
	return func(yield func(bench.Piece, error) bool) {
		for p, err := range e.ask(ctx, r) {
			if !yield(bench.Piece{Text: p.Text, Tokens: len(p.IDs), Usage: usage(p)}, err) {
				return
			}
		}
	}
}

// ask submits a request, and keeps the tokens of its answer for comparison.
func (e *engine) ask(ctx context.Context, r bench.Request) iter.Seq2[serve.Piece, error] {
	return func(yield func(serve.Piece, error) bool) {
		prompt := prompt(r)
		pieces, err := e.text.Generate(ctx, serve.TextRequest{
			Request: serve.Request{MaxTokens: r.MaxTokens, Salt: e.salt()},
			Prompt:  e.text.Encode(prompt), NoCache: e.noCache, IgnoreEnd: true,
		})
		if err != nil {
			yield(serve.Piece{}, err)
			return
		}
		var ids []int32
		for p, err := range pieces {
			ids = append(ids, p.IDs...)
			if !yield(p, err) {
				return
			}
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.answers[prompt] = ids
	}
}

func prompt(r bench.Request) string {
	var texts []string
	for _, m := range r.Messages {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "\n")
}

// salt keeps each request from the prefixes of the others, unless they may share.
func (e *engine) salt() string {
	if e.share {
		return ""
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked++
	return fmt.Sprint(e.asked)
}

func usage(p serve.Piece) *bench.Usage {
	if p.Usage == nil {
		return nil
	}
	return &bench.Usage{PromptTokens: p.Usage.PromptTokens, CachedTokens: p.Usage.CachedTokens,
		OutputTokens: p.Usage.CompletionTokens, Queued: p.Timing.Queued}
}
