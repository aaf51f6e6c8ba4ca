package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/minillm"
)

type chat struct {
	model   modelFlags
	request requestFlags
	system  string
}

func newChat() *cobra.Command {
	c := &chat{}
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Hold a conversation in the terminal",
		Long:  "Hold a conversation in the terminal. Ctrl-C stops an answer, a second one or Ctrl-D ends the conversation.",
		Args:  exactly(0, "no argument"),
		RunE:  func(cmd *cobra.Command, args []string) error { return c.run(os.Stdin) },
	}
	c.model.register(cmd)
	c.request.register(cmd)
	cmd.Flags().StringVar(&c.system, "system", "", "system message")
	return cmd
}

func (c *chat) run(in io.Reader) error {
	if err := c.request.check(); err != nil {
		return err
	}
	m, err := c.model.open()
	if err != nil {
		return err
	}
	defer m.Close()
	var history []minillm.Message
	if c.system != "" {
		history = append(history, minillm.Message{Role: "system", Content: c.system})
	}
	lines := readLines(in)
	for {
		line, ok := prompt(lines)
		if !ok {
			fmt.Fprintln(os.Stderr)
			return nil
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		asked := append(history, minillm.Message{Role: "user", Content: line})
		answer, err := c.answer(m, asked)
		if err != nil {
			fmt.Fprintf(os.Stderr, "minillm: %v\n", err)
			continue
		}
		history = append(asked, minillm.Message{Role: "assistant", Content: answer})
	}
}

// readLines reads from a goroutine of its own, so that Ctrl-C is noticed at the
// prompt too.
func readLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		s := bufio.NewScanner(in)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			lines <- s.Text()
		}
	}()
	return lines
}

// prompt waits for a line; false at the end of the input or on Ctrl-C.
func prompt(lines <-chan string) (string, bool) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Fprint(os.Stderr, "> ")
	select {
	case line, ok := <-lines:
		return line, ok
	case <-ctx.Done():
		return "", false
	}
}

// answer streams an answer until it ends or Ctrl-C stops it: what was said by
// then stays in the history.
func (c *chat) answer(m *minillm.Model, messages []minillm.Message) (string, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var b strings.Builder
	for p, err := range m.ChatStream(ctx, messages, c.request.request()) {
		if errors.Is(err, context.Canceled) {
			break
		}
		if err != nil {
			return "", err
		}
		fmt.Print(p.Text)
		b.WriteString(p.Text)
		if u, t := p.Usage, p.Timing; u != nil {
			defer fmt.Fprintf(os.Stderr, "%d prompt tokens (%d cached), %d new, first after %s, %s in all\n", u.PromptTokens,
				u.CachedTokens, u.CompletionTokens, t.TTFT.Round(time.Millisecond), t.Total.Round(time.Millisecond))
		}
	}
	fmt.Println()
	return b.String(), nil
}
