// 9-bench measures what the floors bring: the same requests with and without a
// KV cache, in static and in continuous batches, with and without the sharing
// of prefixes, and through the front door, which has it all.
//
//	go run ./examples/9-bench [--model FILE.gguf] [--report page.html]
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"example.com/minillm/bench"
	"example.com/minillm/bench/report"
	"example.com/minillm/examples/internal/open"
)

func main() {
	path := flag.String("model", "", "model file; without one, a tiny model of random weights")
	page := flag.String("report", "", "write a page with plots to this file")
	flag.Parse()
	open.Check(run(os.Stdout, *path, *page))
}

func run(w io.Writer, path, page string) error {
	results, err := measure(path)
	if err != nil {
		return err
	}
	table(w, results)
	if page == "" {
		return nil
	}
	f, err := os.Create(page)
	if err != nil {
		return err
	}
	if err := report.Write(f, results...); err != nil {
		return err
	}
	return f.Close()
}

// table prints a line for each way, and how many times the tokens a second of
// the first it gives.
func table(w io.Writer, results []*bench.Result) {
	fmt.Fprintf(w, "%-24s%10s%8s%16s%16s%10s\n", "", "tokens/s", "", "TTFT p50, ms", "ITL p50, ms", "cached")
	for _, r := range results {
		s := &r.Summary
		fmt.Fprintf(w, "%-24s%10.1f%7.1fx%16.2f%16.2f%10d\n", r.Name, s.OutputRate, s.OutputRate/results[0].Summary.OutputRate,
			s.TTFT.P50, s.ITL.P50, s.CachedTokens)
	}
}
