// batch is a job over a file of prompts, one a line: each answer becomes a line
// of JSON, in the order of the prompts. Many are asked at once, because
// sequences that are computed together cost little more than one alone.
//
//	go run ./examples/batch [--model FILE.gguf] [--in FILE] [--together 16] >answers.jsonl
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"example.com/minillm"
	"example.com/minillm/examples/internal/open"
)

//go:embed prompts.txt
var prompts string

func main() {
	path := flag.String("model", "", "model file; without one, the embedded model")
	in := flag.String("in", "", "file of prompts; without one, ours")
	together := flag.Int("together", 16, "prompts that are computed at the same time")
	flag.Parse()
	if *in != "" {
		b, err := os.ReadFile(*in)
		open.Check(err)
		prompts = string(b)
	}
	open.Check(run(context.Background(), os.Stdout, os.Stderr, *path, strings.Split(strings.TrimSpace(prompts), "\n"), *together))
}

// line is one answer. An error belongs to one prompt and does not end the job.
type line struct {
	Prompt string `json:"prompt"`
	Answer string `json:"answer,omitempty"`
	Finish string `json:"finish,omitempty"`
	Tokens int    `json:"tokens,omitempty"`
	Error  string `json:"error,omitempty"`
}

func run(ctx context.Context, out, log io.Writer, path string, prompts []string, together int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, err := open.FrontDoor(path)
	if err != nil {
		return err
	}
	defer m.Close()
	start, tokens := time.Now(), 0
	enc := json.NewEncoder(out)
	for answer := range ask(ctx, m, prompts, together) {
		l := <-answer
		if err := enc.Encode(l); err != nil {
			return err
		}
		tokens += l.Tokens
	}
	d := time.Since(start)
	fmt.Fprintf(log, "%d prompts, %d tokens in %.2f s: %.0f tokens/s\n", len(prompts), tokens, d.Seconds(), float64(tokens)/d.Seconds())
	return ctx.Err()
}

// ask asks for all prompts, so many at once, and yields a channel for each
// answer, in the prompts' order.
func ask(ctx context.Context, m *minillm.Model, prompts []string, together int) <-chan chan line {
	answers := make(chan chan line, max(together-1, 0)) // its room bounds what is under way
	go func() {
		defer close(answers)
		for _, p := range prompts {
			answer := make(chan line, 1)
			select {
			case answers <- answer:
				go func() { answer <- one(ctx, m, p) }()
			case <-ctx.Done():
				return
			}
		}
	}()
	return answers
}

func one(ctx context.Context, m *minillm.Model, prompt string) line {
	reply, err := m.Chat(ctx, []minillm.Message{{Role: "user", Content: prompt}}, minillm.Request{MaxTokens: 300})
	if err != nil {
		return line{Prompt: prompt, Error: err.Error()}
	}
	return line{Prompt: prompt, Answer: strings.TrimSpace(reply.Text), Finish: reply.Finish.String(), Tokens: reply.Usage.CompletionTokens}
}
