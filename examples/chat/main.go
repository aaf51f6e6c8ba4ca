// chat is a conversation in the terminal: answers are streamed, and the history
// is sent along with each question. It is computed once only: what the engine
// has seen before it finds in its cache of prefixes.
//
//	go run ./examples/chat [--model FILE.gguf]
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/minillm"
	"example.com/minillm/examples/internal/open"
)

func main() {
	path := flag.String("model", "", "model file; without one, the embedded model")
	flag.Parse()
	open.Check(run(context.Background(), os.Stdin, os.Stdout, *path))
}

func run(ctx context.Context, in io.Reader, out io.Writer, path string) error {
	m, err := open.FrontDoor(path)
	if err != nil {
		return err
	}
	defer m.Close()
	var history []minillm.Message
	fmt.Fprint(out, "> ")
	for lines := bufio.NewScanner(in); lines.Scan(); fmt.Fprint(out, "> ") {
		question := minillm.Message{Role: "user", Content: strings.TrimSpace(lines.Text())}
		if question.Content == "" {
			continue
		}
		history = append(history, question)
		answer, err := say(ctx, out, m, history)
		for errors.Is(err, minillm.ErrTooLong) && len(history) > 2 {
			history = history[2:] // forget the oldest question and its answer
			answer, err = say(ctx, out, m, history)
		}
		if err != nil {
			return err
		}
		history = append(history, minillm.Message{Role: "assistant", Content: answer})
	}
	fmt.Fprintln(out)
	return nil
}

// say prints an answer as it comes, and what it cost.
func say(ctx context.Context, out io.Writer, m *minillm.Model, messages []minillm.Message) (string, error) {
	var answer strings.Builder
	for p, err := range m.ChatStream(ctx, messages, minillm.Request{}) {
		if err != nil {
			return "", err
		}
		fmt.Fprint(out, p.Text)
		answer.WriteString(p.Text)
		if u := p.Usage; u != nil { // the last piece
			fmt.Fprintf(out, "\n  [%d prompt tokens, %d of them from the cache, %d new]\n", u.PromptTokens, u.CachedTokens, u.CompletionTokens)
		}
	}
	return answer.String(), nil
}
