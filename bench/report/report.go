// Package report draws the results of benchmarks as one self-contained HTML
// page: the figures, their definitions, and plots as SVG. It is a package of
// its own so that programs which only measure do not carry the plotting.
//
// The page needs no network, no script and no fonts of its own; it can be
// mailed, printed, and read years later.
package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"example.com/minillm/bench"
)

//go:embed page.html
var page string

var tmpl = template.Must(template.New("page").Parse(page))

// Write writes a page about one result, or about several side by side. It does
// not change them.
func Write(w io.Writer, results ...*bench.Result) error {
	if len(results) == 0 {
		return fmt.Errorf("report: no results")
	}
	drawn, err := figures(results)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	d := data{Title: title(results), Formulas: bench.Formulas, Figures: drawn, Rows: rows(results)}
	for i, r := range results {
		d.Results = append(d.Results, details(r, i))
	}
	if len(results) == 2 {
		d.Ratios = ratios(results[0], results[1])
		d.Differences = bench.Differences(results[0], results[1])
	}
	if err := tmpl.Execute(w, d); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// data is what the page shows.
type data struct {
	Title       string
	Results     []result
	Rows        []row
	Ratios      []ratio
	Differences []string
	Figures     []figure
	Formulas    []bench.Formula
}

// result is one run.
type result struct {
	Name     string
	Color    string
	Started  string
	Machine  string
	Failures []string
	Notes    []string
	Config   []setting
	Table    string
}

type setting struct{ Name, Value string }

func title(results []*bench.Result) string {
	var names []string
	for _, r := range results {
		names = append(names, r.Name)
	}
	return strings.Join(names, " · ")
}

func details(r *bench.Result, i int) result {
	var table strings.Builder
	r.Summary.WriteTable(&table)
	m := r.Machine
	d := result{
		Name: r.Name, Color: hex(colors[i%len(colors)]), Notes: r.Summary.Notes(), Table: table.String(),
		Machine: fmt.Sprintf("%s, %d cores, %s/%s, %s", m.CPU, m.Cores, m.OS, m.Arch, m.Go),
	}
	if !r.Started.IsZero() {
		d.Started = r.Started.UTC().Format(time.DateTime) + " UTC"
	}
	s := &r.Summary
	for kind, n := range s.Errors {
		d.Failures = append(d.Failures, fmt.Sprintf("%d of %d requests failed: %s (%s)", n, s.Requests, kind, s.Examples[kind]))
	}
	slices.Sort(d.Failures)
	for name, value := range r.Config {
		d.Config = append(d.Config, setting{name, value})
	}
	slices.SortFunc(d.Config, func(a, b setting) int { return strings.Compare(a.Name, b.Name) })
	return d
}
