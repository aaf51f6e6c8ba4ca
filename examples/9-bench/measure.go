package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/minillm"
	"example.com/minillm/batch"
	"example.com/minillm/bench"
	"example.com/minillm/examples/internal/open"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/kvcache"
	"example.com/minillm/paged"
	"example.com/minillm/serve"
)

const (
	places    = 4   // sequences in a step
	positions = 512 // positions of each
)

// ways are what is compared; each adds one thing to the one before.
var ways = []struct {
	name    string
	policy  func(c kvcache.Cache) batch.Policy // nil: the front door
	noCache bool
	share   bool
}{
	{"no KV cache", func(c kvcache.Cache) batch.Policy { return batch.NewContinuous(c, 1) }, true, false},
	{"KV cache", func(c kvcache.Cache) batch.Policy { return batch.NewContinuous(c, 1) }, false, false},
	{"static batches", func(c kvcache.Cache) batch.Policy { return batch.NewStatic(c, places) }, false, false},
	{"continuous batching", func(c kvcache.Cache) batch.Policy { return batch.NewContinuous(c, places) }, false, false},
	{"… and shared prefixes", func(c kvcache.Cache) batch.Policy { return batch.NewContinuous(c, places) }, false, true},
	{"the front door", nil, false, true},
}

// measure sends the same load to an engine of each kind, and sees that all give
// the same tokens.
func measure(path string) (results []*bench.Result, err error) {
	var first map[string][]int32
	for _, way := range ways {
		text, stop, err := start(path, way.policy)
		if err != nil {
			return nil, err
		}
		e := &engine{text: text, noCache: way.noCache, share: way.share, answers: make(map[string][]int32)}
		r := &bench.Result{Name: way.name, Started: time.Now(), Machine: bench.ThisMachine()}
		r.Traces = bench.Run(context.Background(), e, load(text))
		r.Summary = bench.Summarize(r.Traces, bench.Limits{})
		results = append(results, r)
		if err := errors.Join(stop(), complete(r)); err != nil {
			return nil, err
		}
		if first == nil {
			first = e.answers
		}
		for prompt, ids := range first {
			if !slices.Equal(ids, e.answers[prompt]) {
				return nil, fmt.Errorf("%s: other tokens than with %s", way.name, ways[0].name)
			}
		}
	}
	return results, nil
}

func complete(r *bench.Result) error {
	if s := r.Summary; s.Answered < s.Requests {
		return fmt.Errorf("%s: %d of %d requests failed: %v", r.Name, s.Failed, s.Requests, s.Examples)
	}
	return nil
}

// load is what chats behind one system prompt ask for. One request comes first,
// unmeasured, so that there is a prefix to share.
func load(text serve.Text) bench.Load {
	prompts := bench.Prompts{
		Input: bench.Exactly(240), Prefix: 200, Output: bench.Length{Min: 4, Max: 24},
		Tokens: func(word string) int { return len(text.Tokenizer.Encode(nil, word)) },
	}
	requests := prompts.Requests(13)
	return bench.Load{WarmUp: requests[:1], Requests: requests[1:], Clients: 2 * places}
}

// start starts an engine under a policy, or the front door.
func start(path string, policy func(c kvcache.Cache) batch.Policy) (text serve.Text, stop func() error, err error) {
	if policy == nil {
		return frontDoor(path)
	}
	m, t, err := open.Random(path)
	if err != nil {
		return text, nil, err
	}
	cache, err := paged.New(m.Shape(), paged.Options{Positions: 2 * places * positions, Limit: positions})
	if err != nil {
		return text, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := serve.New(batch.NewRunner(m), policy(cache), serve.Options{})
	ended := make(chan error)
	go func() { ended <- e.Run(ctx) }()
	return serve.Text{Engine: e, Tokenizer: t}, func() error {
		cancel()
		<-ended
		return m.Close()
	}, nil
}

func frontDoor(path string) (text serve.Text, stop func() error, err error) {
	o := minillm.Options{Context: positions, Parallel: places, KVPositions: 2 * places * positions}
	var m *minillm.Model
	if path == "" {
		m, err = minillm.OpenBytes(tiny.GGUF(tiny.Config{}), o)
	} else {
		m, err = minillm.Open(path, o)
	}
	if err != nil {
		return text, nil, err
	}
	return m.Text(), m.Close, nil
}
