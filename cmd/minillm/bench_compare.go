package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/minillm/bench"
	"example.com/minillm/bench/report"
)

func newBenchCompare() *cobra.Command {
	var page string
	cmd := &cobra.Command{
		Use:   "compare A.json B.json",
		Short: "Compare two runs of bench serve: ratios with intervals",
		Args:  exactly(2, "two files that bench serve --save has written"),
		RunE:  func(cmd *cobra.Command, args []string) error { return compare(args[0], args[1], page) },
	}
	cmd.Flags().StringVar(&page, "report", "", "write a page with the plots of both to an HTML `file`")
	return cmd
}

func compare(fileA, fileB, page string) error {
	a, err := bench.ReadResult(fileA)
	if err != nil {
		return err
	}
	b, err := bench.ReadResult(fileB)
	if err != nil {
		return err
	}
	if a.Name == b.Name { // or nobody could tell them apart
		a.Name, b.Name = fmt.Sprintf("%s (%s)", a.Name, fileA), fmt.Sprintf("%s (%s)", b.Name, fileB)
	}
	if err := printed(bench.WriteComparison(os.Stdout, a, b)); err != nil {
		return err
	}
	if page == "" {
		return nil
	}
	return writeFile(page, func(w io.Writer) error { return report.Write(w, a, b) })
}
