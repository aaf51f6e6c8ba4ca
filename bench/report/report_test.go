package report

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/minillm/bench"
)

// server answers up to places requests at once.
type server struct {
	places chan struct{}
	pace   time.Duration
}

func (s server) Do(ctx context.Context, r bench.Request) iter.Seq2[bench.Piece, error] {
	return func(yield func(bench.Piece, error) bool) {
		came := time.Now()
		s.places <- struct{}{}
		defer func() { <-s.places }()
		queued := time.Since(came)
		time.Sleep(5 * s.pace)
		for i := range r.MaxTokens {
			p := bench.Piece{Text: "a"}
			if i == r.MaxTokens-1 {
				p.Usage = &bench.Usage{PromptTokens: 20, OutputTokens: r.MaxTokens, Queued: queued}
			}
			if !yield(p, nil) {
				return
			}
			time.Sleep(s.pace + time.Duration(len(r.Messages[0].Content)+i)*s.pace/50)
		}
	}
}

// measured is a run in virtual time, with a sweep.
func measured(t *testing.T, name string, pace time.Duration) *bench.Result {
	t.Helper()
	prompts := bench.Prompts{Input: bench.Length{Min: 5, Max: 20}, Output: bench.Length{Min: 10, Max: 40}}
	limits := bench.Limits{TTFT: time.Second}
	r := &bench.Result{Name: name, Machine: bench.ThisMachine(), Config: map[string]string{"rate": "4"}}
	synctest.Test(t, func(t *testing.T) {
		r.Started = time.Now()
		try := func(rate float64) []bench.Trace {
			return bench.Run(t.Context(), server{make(chan struct{}, 4), pace},
				bench.Load{Requests: prompts.Requests(48), Starts: bench.Arrivals{Rate: rate}.Times(48)})
		}
		r.Traces = try(4)
		r.Summary = bench.Summarize(r.Traces, limits)
		r.Sweep = bench.Sweep{}.Run(t.Context(), func(rate float64) bench.Summary { return bench.Summarize(try(rate), limits) })
	})
	return r
}

func write(t *testing.T, results ...*bench.Result) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, results...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// plots parses every SVG on a page as XML and returns how many there are.
func plots(t *testing.T, page string) (n int) {
	t.Helper()
	for {
		_, rest, ok := strings.Cut(page, "<svg")
		if !ok {
			return n
		}
		svg, after, ok := strings.Cut(rest, "</svg>")
		if !ok {
			t.Fatal("an SVG without end")
		}
		d := xml.NewDecoder(strings.NewReader("<svg" + svg + "</svg>"))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("plot %d: %v", n, err)
			}
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("plot %d has coordinates that are no numbers", n)
		}
		n++
		page = after
	}
}

func TestWrite(t *testing.T) {
	a, b := measured(t, "a server", 10*time.Millisecond), measured(t, "another & <faster>", 6*time.Millisecond)
	b.Traces[3].Err = &bench.Error{Kind: bench.Hangup, Err: errors.New("<gone>")}
	b.Traces[3].Pieces = b.Traces[3].Pieces[:4]
	b.Summary = bench.Summarize(b.Traces, bench.Limits{})
	one, two := write(t, a), write(t, a, b)
	if file := os.Getenv("REPORT_TEST_PAGE"); file != "" {
		if err := os.WriteFile(file, []byte(two), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// TTFT and ITL twice each, throughput, concurrency; for each result a sweep and a timeline.
	if n := plots(t, one); n != 8 {
		t.Errorf("%d plots of one result", n)
	}
	if n := plots(t, two); n != 10 {
		t.Errorf("%d plots of two results", n)
	}
	for _, want := range []string{"a server", "another &amp; &lt;faster&gt;", "1 of 48 requests failed: hangup (&lt;gone&gt;)", "Second divided by first",
		"Definitions", "highest that held", "knee", "queued", "to the first piece", "to the last piece", "failed or broken off"} {
		if !strings.Contains(two, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, page := range []string{one, two} {
		for _, foreign := range []string{"<script", "<link", "src=", "url(", "@import", "<faster>", "<gone>"} {
			if strings.Contains(page, foreign) {
				t.Errorf("the page contains %q", foreign)
			}
		}
	}
	if strings.Contains(one, "Second divided") {
		t.Error("a single result is compared")
	}
}

// TestWriteLittle: runs with little or nothing in them make a page, too.
func TestWriteLittle(t *testing.T) {
	gone := bench.Trace{Err: &bench.Error{Kind: bench.Connect, Err: errors.New("refused")}}
	for name, traces := range map[string][]bench.Trace{
		"nothing":      nil,
		"all failed":   {gone, gone},
		"one piece":    {{End: time.Second, Pieces: []bench.Stamp{{At: time.Second}}}},
		"all the same": {{End: 3, Pieces: []bench.Stamp{{At: 1}, {At: 2}, {At: 3}}}, {End: 3, Pieces: []bench.Stamp{{At: 1}, {At: 2}, {At: 3}}}},
		"no time":      {{Pieces: []bench.Stamp{{}, {}}}},
	} {
		r := &bench.Result{Name: name, Traces: traces, Summary: bench.Summarize(traces, bench.Limits{})}
		plots(t, write(t, r, r))
	}
	if err := Write(io.Discard); err == nil {
		t.Error("a page of no results")
	}
}

func TestAxis(t *testing.T) {
	tail := newAxis([][]float64{{1, 2, 2, 3, 400}, nil})
	if !tail.log || tail.at(0) != 1 || tail.at(1) != 400 || tail.at(0.5) != 20 {
		t.Errorf("%+v: the middle is %v", tail, tail.at(0.5))
	}
	if even := newAxis([][]float64{{0, 1, 2}}); even.log || even.at(0.5) != 1 {
		t.Errorf("%+v", even)
	}
	if same := newAxis([][]float64{{7, 7}}); same.at(0) != 6 || same.at(1) != 8 {
		t.Errorf("%+v", same)
	}
}
