package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// WriteTable prints the summary for people: failures first, if there are any,
// and the definitions last.
func (s *Summary) WriteTable(w io.Writer) error {
	t := &table{w: w}
	t.failures(s)
	t.totals(s)
	t.latencies(s)
	t.rates(s)
	t.notes(s)
	t.formulas()
	return t.err
}

// table prints until something fails.
type table struct {
	w   io.Writer
	err error
}

func (t *table) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// columns prints rows in columns: the first to the left, the others to the right.
func (t *table) columns(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := fmt.Sprintf("%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", widths[i+1], cell)
		}
		t.printf("%s\n", strings.TrimRight(line, " "))
	}
}

func (t *table) failures(s *Summary) {
	if s.Failed > 0 {
		t.printf("%d of %d requests FAILED; the figures below are of the others\n", s.Failed, s.Requests)
		for _, k := range kinds(s.Errors) {
			t.printf("  %d × %s: %s\n", s.Errors[k], k, s.Examples[k])
		}
		t.printf("\n")
	}
	if s.Interrupted > 0 {
		t.printf("%d of %d requests were broken off by the end of the run\n\n", s.Interrupted, s.Requests)
	}
	if s.Requests == 0 {
		t.printf("no request was sent\n\n")
	}
}

// kinds in a fixed order: the most frequent first.
func kinds(counts map[Kind]int) []Kind {
	return slices.SortedFunc(maps.Keys(counts), func(a, b Kind) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
}

func (t *table) totals(s *Summary) {
	t.printf("%d of %d requests answered in %.2f s, %d at once at most, %.3g on average\n", s.Answered, s.Requests, s.Seconds, s.Concurrency, s.MeanConcurrency)
	t.printf("%d input tokens (%d cached), %d output tokens", s.InputTokens, s.CachedTokens, s.OutputTokens)
	if s.LostTokens > 0 {
		t.printf(", and %d lost in requests that failed", s.LostTokens)
	}
	t.printf("\n\n%.3g requests/s   %.4g input tokens/s   %.4g output tokens/s", s.RequestRate, s.InputRate, s.OutputRate)
	if ci := s.OutputCI; ci != (Interval{}) {
		t.printf(" (95 %%: %.4g to %.4g)", ci[0], ci[1])
	}
	t.printf("\n")
	if s.Limits != (Limits{}) {
		t.printf("goodput %.3g requests/s: %d kept %s, %.1f %%\n", s.Goodput, s.Good, s.Limits, 100*s.GoodPart)
	}
	t.printf("\n")
}

// latencies prints what is worse the higher it is.
func (t *table) latencies(s *Summary) {
	rows := [][]string{{"ms", "n", "mean", "sd", "min", "p50", "p90", "p95", "p99", "p99.9", "max"}}
	for _, l := range []named{{"TTFT", s.TTFT}, {"ITL", s.ITL}, {"TPOT", s.TPOT}, {"E2E", s.E2E}, {"wait", s.Wait}, {"queued", s.Queued}} {
		if d := l.Distribution; d.N > 0 {
			rows = append(rows, cells(l.name, d, d.Mean, d.StdDev, d.Min, d.P50, d.P90, d.P95, d.P99, d.P999, d.Max))
			if l.name != "wait" {
				rows = append(rows, interval(d)...)
			}
		}
	}
	if len(rows) > 1 {
		t.columns(rows)
		t.printf("\n")
	}
}

type named struct {
	name string
	Distribution
}

// interval is a row of 95 % intervals under the main figures, where there are any.
func interval(d Distribution) [][]string {
	if d.CI == nil || d.Min == d.Max {
		return nil
	}
	at := func(name string) string { return short(d.CI[name][0]) + "–" + short(d.CI[name][1]) }
	return [][]string{{"  95 %", "", at("mean"), "", "", at("p50"), "", "", at("p99"), "", ""}}
}

// rates prints what is worse the lower it is, with the bad tail first; and lengths.
func (t *table) rates(s *Summary) {
	rows := [][]string{{"", "n", "mean", "sd", "min", "p1", "p5", "p10", "p50", "max"}}
	for _, r := range []named{{"speed, tokens/s", s.Speed}, {"input tokens", s.Input}, {"output tokens", s.Output}} {
		if d := r.Distribution; d.N > 0 {
			rows = append(rows, cells(r.name, d, d.Mean, d.StdDev, d.Min, d.P1, d.P5, d.P10, d.P50, d.Max))
		}
	}
	if len(rows) > 1 {
		t.columns(rows)
		t.printf("\n")
	}
}

func cells(name string, d Distribution, values ...float64) []string {
	row := []string{name, fmt.Sprint(d.N)}
	for _, v := range values {
		row = append(row, short(v))
	}
	return row
}

// short prints four digits, or all before the point.
func short(v float64) string {
	switch {
	case v >= 1000:
		return fmt.Sprintf("%.0f", v)
	case v >= 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func (t *table) notes(s *Summary) {
	notes := s.Notes()
	for _, n := range notes {
		t.printf("note: %s\n", n)
	}
	if len(notes) > 0 {
		t.printf("\n")
	}
}

// Notes are what a reader of the figures should know about them.
func (s *Summary) Notes() (notes []string) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	for _, k := range kinds(s.Flaws) {
		note("%d of %d answers: %s", s.Flaws[k], s.Answered, k)
	}
	if n := s.E2E.N - s.TTFT.N; n > 0 {
		note("TTFT is that of the %d answers with text", s.TTFT.N)
	}
	if n := s.TTFT.N - s.TPOT.N; n > 0 {
		note("%d answers came in one piece, or have no token after the first: they have no TPOT", n)
	}
	if per := s.TokensPerPiece(); s.ITL.N > 0 && !s.PerToken && (per < 0.995 || per > 1.005) {
		note("the server does not say how many tokens a piece has (%.2f on average): ITL is the gap between pieces", per)
	}
	switch n := s.E2E.N; {
	case n == 0:
	case n < deciding(0.99):
		note("of %d requests the p99 and the p99.9 are their maximum", n)
	case n < deciding(0.999):
		note("of %d requests the p99.9 is their maximum", n)
	}
	if s.Wait.Max > 100 && s.Wait.P50 < 1 {
		note("a request was sent %s ms late: the machine that sends may be too busy", short(s.Wait.Max))
	}
	return notes
}

func (t *table) formulas() {
	for _, f := range Formulas {
		t.printf("%-12s%s\n", f.Name, f.Text)
	}
}
