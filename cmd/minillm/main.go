// Command minillm runs language models on the CPU: from the command line, as a
// chat in the terminal, and as an HTTP server.
//
// The result goes to standard output and nothing else does; progress, timings
// and warnings go to standard error. The exit status is 0, 1 if something
// failed, which one line explains, or 2 if the command was used wrongly.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
)

// usageError is a mistake of the caller, told from a failure by the exit status.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process, whatever it does
	code := execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// execute runs one command line and returns the exit status.
func execute(ctx context.Context, args []string) int {
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		err = interrupted(ctx, err)
	}
	fmt.Fprintf(os.Stderr, "minillm: %s\n", strings.TrimPrefix(err.Error(), "minillm: "))
	if usage := (usageError{}); errors.As(err, &usage) {
		return 2
	}
	return 1
}

// interrupted says that Ctrl-C ended something, and keeps what an error has to
// say after that.
func interrupted(ctx context.Context, err error) error {
	for _, end := range []error{context.Cause(ctx), ctx.Err()} {
		if _, advice, ok := strings.Cut(err.Error(), end.Error()); ok {
			return errors.New("interrupted" + advice)
		}
	}
	return errors.New("interrupted")
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "minillm",
		Short: "Language models on the CPU, in pure Go",
		Example: `  minillm run "Tell me a story about a fox."
  minillm chat --model model.gguf
  minillm serve --model hf.co/owner/repo:Q4_K_M`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          subcommand,
		RunE:          func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(wrongFlag)
	root.AddCommand(newRun(), newChat(), newServe(), newBench(), newEval(), newTokenize(), newInspect(), newPull(), newVersion())
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = topic
	}
	return root
}

// printed says of an error in writing the result that it was one.
func printed(err error) error {
	if err != nil {
		err = fmt.Errorf("standard output: %w", err)
	}
	return err
}

// atMostOne allows one argument or none.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("want one argument at most, got %d; see: %s --help", len(args), cmd.CommandPath())
	}
	return nil
}

// exactly returns a check that n arguments are given, told as wrong use.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("want %s, got %d arguments; see: %s --help", what, len(args), cmd.CommandPath())
		}
		return nil
	}
}
