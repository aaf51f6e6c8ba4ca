package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/minillm"
)

type chat struct {
	model     modelFlags
	request   requestFlags
	system    string
	interrupt chan os.Signal // Ctrl-C, from the first prompt to the end
}

func newChat() *cobra.Command {
	c := &chat{}
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Hold a conversation in the terminal",
		Long:  "Hold a conversation in the terminal. Ctrl-C stops an answer, a second one or Ctrl-D ends the conversation.",
		Args:  exactly(0, "no argument"),
		RunE:  func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), os.Stdin) },
	}
	c.model.register(cmd)
	c.request.register(cmd)
	cmd.Flags().StringVar(&c.system, "system", "", "system message")
	return cmd
}

func (c *chat) run(ctx context.Context, in io.Reader) error {
	if err := c.request.check(); err != nil {
		return err
	}
	m, err := c.model.open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	if m.Template() == nil {
		return minillm.ErrNoTemplate
	}
	c.model.source.hint()
	c.interrupt = make(chan os.Signal, 1)
	signal.Notify(c.interrupt, os.Interrupt)
	defer signal.Stop(c.interrupt)
	var history []minillm.Message
	if c.system != "" {
		history = append(history, minillm.Message{Role: "system", Content: c.system})
	}
	lines, failed := readLines(in)
	for {
		line, ok := c.prompt(lines)
		if !ok {
			fmt.Fprintln(os.Stderr)
			return failed()
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		history = c.turn(m, history, line)
	}
}

// turn asks and answers, and returns the history with both. What failed is told
// and leaves no trace in it.
func (c *chat) turn(m *minillm.Model, history []minillm.Message, line string) []minillm.Message {
	asked := append(history, minillm.Message{Role: "user", Content: line})
	answer, err := c.answer(m, asked)
	for errors.Is(err, minillm.ErrTooLong) && len(asked) > c.fixed()+1 {
		asked = c.forget(asked)
		answer, err = c.answer(m, asked)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "minillm: %v\n", err)
		return history
	}
	return append(asked, minillm.Message{Role: "assistant", Content: answer})
}

// fixed is how many messages are never forgotten: the system's.
func (c *chat) fixed() int {
	if c.system != "" {
		return 1
	}
	return 0
}

// forget drops the oldest question and its answer, where a conversation has
// become longer than the context.
func (c *chat) forget(messages []minillm.Message) []minillm.Message {
	fmt.Fprintln(os.Stderr, "minillm: the conversation is longer than the context: forgetting its beginning")
	n := c.fixed()
	return slices.Concat(messages[:n], messages[n+2:])
}

// readLines reads from a goroutine of its own, so that Ctrl-C is noticed at the
// prompt too. When there are no more lines, failed says whether that is not the
// end of the input.
func readLines(in io.Reader) (lines <-chan string, failed func() error) {
	out, ended := make(chan string), make(chan error, 1)
	go func() {
		s := bufio.NewScanner(in)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			out <- s.Text()
		}
		ended <- s.Err()
		close(out)
	}()
	return out, func() error {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("standard input: %w", err)
			}
			return err
		default:
			return nil // Ctrl-C came first
		}
	}
}

// prompt waits for a line; false at the end of the input or on Ctrl-C.
func (c *chat) prompt(lines <-chan string) (string, bool) {
	fmt.Fprint(os.Stderr, "> ")
	select {
	case line, ok := <-lines:
		return line, ok
	case <-c.interrupt:
		return "", false
	}
}

// answer streams an answer until it ends or Ctrl-C stops it: what was said by
// then stays in the history.
func (c *chat) answer(m *minillm.Model, messages []minillm.Message) (string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-c.interrupt:
			cancel()
		case <-ctx.Done():
		}
	}()
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
				u.CachedTokens, u.CompletionTokens, brief(t.TTFT), brief(t.Total))
		}
	}
	fmt.Println()
	return b.String(), nil
}
