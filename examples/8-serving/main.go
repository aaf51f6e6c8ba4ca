// 8-serving puts text and streams on top: several clients at once, each with its
// own stream, over one engine. One of them leaves early.
//
//	go run ./examples/8-serving [--model FILE.gguf]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"example.com/minillm/batch"
	"example.com/minillm/examples/internal/open"
	"example.com/minillm/paged"
	"example.com/minillm/sampling"
	"example.com/minillm/scheduler"
	"example.com/minillm/serve"
)

func main() {
	path := flag.String("model", "", "model file; without one, the embedded model")
	flag.Parse()
	open.Check(run(os.Stdout, *path))
}

func run(w io.Writer, path string) error {
	m, t, err := open.Model(path)
	if err != nil {
		return err
	}
	defer m.Close()
	cache, err := paged.New(m.Shape(), paged.Options{Positions: 2048})
	if err != nil {
		return err
	}

	// The engine's loop owns the scheduler, the cache and all sequences.
	steps := 0
	engine := serve.New(batch.NewRunner(m), scheduler.New(cache, scheduler.Config{}), serve.Options{
		Observer: serve.Observer{Step: func(serve.StepInfo) { steps++ }},
	})
	ctx, stop := context.WithCancel(context.Background())
	var loop sync.WaitGroup
	loop.Go(func() { engine.Run(ctx) })

	text := serve.Text{Engine: engine, Tokenizer: t}
	lines := make([]string, len(heroes))
	var clients sync.WaitGroup
	for i := range lines {
		clients.Go(func() { lines[i] = client(text, i) })
	}
	clients.Wait()
	stop()
	loop.Wait() // what the loop wrote may be read from here on

	for i, line := range lines {
		fmt.Fprintf(w, "client %d: %s\n", i, line)
	}
	fmt.Fprintf(w, "fewer steps than tokens: %v\n", steps < len(heroes)*length)
	return nil
}

// heroes are what the clients' stories are about, and length is how many tokens
// of one they want.
var heroes = []string{"girl", "boy", "fox", "dragon"}

const length = 24

// client asks for the beginning of a story and reads it as it comes. The last
// one leaves after the first piece, which ends its request at the engine's next
// step.
func client(text serve.Text, i int) string {
	pieces, err := text.Generate(context.Background(), serve.TextRequest{
		Prompt:  text.Encode("Once upon a time, there was a " + heroes[i]),
		Request: serve.Request{MaxTokens: length, Sampling: sampling.Params{Temperature: 1, TopK: 20, Seed: uint64(i)}},
	})
	if err != nil {
		return err.Error()
	}
	var story strings.Builder
	for p, err := range pieces {
		if err != nil {
			return err.Error()
		}
		if i == len(heroes)-1 {
			return "left early"
		}
		story.WriteString(p.Text)
		if p.Usage != nil {
			return fmt.Sprintf("a %s%s … (%d tokens, ended by %v)", heroes[i], story.String(), p.Usage.CompletionTokens, p.Finish)
		}
	}
	return "the stream broke off"
}
