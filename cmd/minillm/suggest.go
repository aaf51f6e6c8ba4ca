package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// nearest returns up to n of the names that are most like a mistyped one, the
// nearest first.
func nearest(mistyped string, names []string, n int) []string {
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(distance(mistyped, a), distance(mistyped, b))
	})
	return names[:min(n, len(names))]
}

// like returns the name that is so near to a mistyped one that it was probably
// meant, or "".
func like(mistyped string, names []string) string {
	best := nearest(mistyped, names, 1)
	if len(best) == 0 {
		return ""
	}
	begun := len(mistyped) > 1 && strings.HasPrefix(best[0], mistyped)
	if !begun && distance(mistyped, best[0]) > 1+len(mistyped)/4 {
		return ""
	}
	return best[0]
}

// distance is how many letters must be inserted, deleted, replaced or swapped
// with their neighbour to make b of a, ignoring case (optimal string alignment;
// Damerau 1964).
func distance(a, b string) int {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	rows := make([][]int, len(x)+1) // [len(x)+1][len(y)+1]
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range y {
		rows[0][j+1] = j + 1
	}
	for i := range x {
		for j := range y {
			change := rows[i][j]
			if x[i] != y[j] {
				change++
			}
			d := min(change, rows[i][j+1]+1, rows[i+1][j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(x)][len(y)]
}

// wrongFlag makes an error about a flag that nobody knows name the one that
// may have been meant.
func wrongFlag(cmd *cobra.Command, err error) error {
	unknown := (*pflag.NotExistError)(nil)
	if !errors.As(err, &unknown) {
		return usagef("%w; see: %s --help", err, cmd.CommandPath())
	}
	name := unknown.GetSpecifiedName()
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		name = short // -model is read as the letters m, o, d …
	}
	if flag := like(name, flags(cmd)); flag != "" {
		return usagef("%w; did you mean --%s?", err, flag)
	}
	for _, sub := range cmd.Commands() {
		if sub.Flags().Lookup(name) != nil {
			return usagef("%w before a command; did you mean: %s --%s …?", err, sub.CommandPath(), name)
		}
	}
	return usagef("%w; see: %s --help", err, cmd.CommandPath())
}

func flags(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// subcommand refuses arguments of a command that only has others below it.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	if name := like(args[0], names); name != "" {
		return usagef("unknown command %q; did you mean: %s %s?", args[0], cmd.CommandPath(), name)
	}
	return usagef("unknown command %q; see: %s --help", args[0], cmd.CommandPath())
}

// topic refuses help about what is no command.
func topic(cmd *cobra.Command, args []string) error {
	found, rest, err := cmd.Root().Find(args)
	if err != nil {
		return usageError{err}
	}
	return subcommand(found, rest)
}

// explain adds to an error of a file that is not there those that may have been
// meant: the nearest names in its folder.
func explain(path string, err error) error {
	dir := filepath.Dir(path)
	switch info, missing := os.Stat(path); {
	case missing == nil && (!info.IsDir() || hasConfig(path)):
		return err
	case missing == nil:
		dir = path
	}
	models, dirErr := modelsIn(dir)
	near := nearest(filepath.Base(path), models, 3)
	switch {
	case dirErr != nil:
		return fmt.Errorf("%w; there is no folder %s", err, dir)
	case len(models) == 0:
		return fmt.Errorf("%w; there is no .gguf file in %s", err, dir)
	case len(models) > len(near):
		return fmt.Errorf("%w; nearest of the %d models in %s: %s", err, len(models), dir, strings.Join(near, ", "))
	}
	return fmt.Errorf("%w; in %s there is: %s", err, dir, strings.Join(near, ", "))
}

// hasConfig reports whether a folder is that of a model.
func hasConfig(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "config.json"))
	return err == nil
}

func modelsIn(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.EqualFold(filepath.Ext(e.Name()), ".gguf") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// complete gives shells the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}
