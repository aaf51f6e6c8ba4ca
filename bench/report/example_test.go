package report_test

import (
	"fmt"
	"strings"
	"time"

	"example.com/minillm/bench"
	"example.com/minillm/bench/report"
)

func ExampleWrite() {
	r := &bench.Result{Name: "two answers", Traces: []bench.Trace{
		{ID: 0, Pieces: []bench.Stamp{{At: 100 * time.Millisecond}, {At: 120 * time.Millisecond}}, End: 120 * time.Millisecond},
		{ID: 1, Pieces: []bench.Stamp{{At: 130 * time.Millisecond}, {At: 160 * time.Millisecond}}, End: 160 * time.Millisecond},
	}}
	r.Summary = bench.Summarize(r.Traces, bench.Limits{})
	var page strings.Builder
	if err := report.Write(&page, r); err != nil {
		panic(err)
	}
	fmt.Println(strings.Count(page.String(), "<svg"), "plots")
	// Output: 7 plots
}
