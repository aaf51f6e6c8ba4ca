package bench

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// These are mistakes that benchmarks of language models have been reported to
// make, each as a small input with the outcome that is right.

// script is a piece at a time, counted from the start of the request.
type script []struct {
	at time.Duration
	Piece
}

func (s script) Do(ctx context.Context, r Request, yield func(Piece, error) bool) {
	start := time.Now()
	for _, p := range s {
		time.Sleep(time.Until(start.Add(p.at)))
		if !yield(p.Piece, nil) {
			return
		}
	}
}

// traced runs scripts as the requests of a closed loop.
func traced(t *testing.T, scripts ...script) (traces []Trace) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		next := 0
		server := target(func(ctx context.Context, r Request, yield func(Piece, error) bool) {
			next++
			scripts[next-1].Do(ctx, r, yield)
		})
		traces = Run(t.Context(), server, Load{Requests: requests(len(scripts), 1000)})
	})
	return traces
}

func text(s string) Piece { return Piece{Text: s} }

func TestRoleIsNoToken(t *testing.T) {
	traces := traced(t, script{{10 * ms, text("")}, {100 * ms, text("a")}, {130 * ms, text("b")}})
	if d, ok := traces[0].TTFT(); !ok || d != 100*ms {
		t.Errorf("TTFT %s", d)
	}
	if gaps := traces[0].AppendITL(nil); !slices.Equal(gaps, []time.Duration{30 * ms}) {
		t.Errorf("ITL %v", gaps)
	}
}

func TestNoTextNoTTFT(t *testing.T) {
	traces := traced(t,
		script{{40 * ms, Piece{Usage: &Usage{PromptTokens: 3}}}},
		script{{100 * ms, text("a")}, {120 * ms, Piece{Usage: &Usage{PromptTokens: 3, OutputTokens: 1}}}})
	s := Summarize(traces, Limits{})
	if !all(s.TTFT, 1, 100) || s.Flaws[Empty] != 1 || s.Answered != 2 || s.E2E.N != 2 {
		t.Errorf("TTFT %+v, flaws %v", s.TTFT, s.Flaws)
	}
	if !slices.Contains(s.Notes(), "1 of 2 answers: no text") {
		t.Errorf("notes %q", s.Notes())
	}
}

func TestOneTokenHasNoTPOT(t *testing.T) {
	usage := &Usage{OutputTokens: 1}
	traces := traced(t,
		script{{100 * ms, text("a")}, {100 * ms, Piece{Usage: usage}}},
		script{{100 * ms, Piece{Text: "abc", Tokens: 3, Usage: &Usage{OutputTokens: 3}}}},
		script{{100 * ms, text("a")}, {120 * ms, text("b")}, {140 * ms, text("c")}})
	s := Summarize(traces, Limits{})
	if !all(s.TPOT, 1, 20) || !all(s.TTFT, 3, 100) || s.E2E.N != 3 || !all(s.ITL, 2, 20) {
		t.Errorf("TPOT %+v\nTTFT %+v\nE2E %+v", s.TPOT, s.TTFT, s.E2E)
	}
	// A server that counts one token and sends two pieces must not divide by zero.
	traces = traced(t, script{{10 * ms, text("a")}, {20 * ms, Piece{Text: "b", Usage: usage}}})
	if d, ok := traces[0].TPOT(); ok {
		t.Errorf("TPOT %s of one token", d)
	}
}

func TestSeveralTokensInAPiece(t *testing.T) {
	said := traced(t, script{
		{100 * ms, Piece{Text: "a", Tokens: 2}}, {140 * ms, Piece{Text: "bcde", Tokens: 4}},
		{150 * ms, Piece{Tokens: 1}}, {160 * ms, Piece{Text: "fg", Tokens: 1}}, // half a character came first
	})
	if gaps := said[0].AppendITL(nil); !slices.Equal(gaps, []time.Duration{10 * ms, 10 * ms, 10 * ms, 10 * ms, 10 * ms, 10 * ms}) {
		t.Errorf("ITL %v", gaps)
	}
	if d, _ := said[0].TPOT(); d != 10*ms || said[0].Tokens() != 8 {
		t.Errorf("TPOT %s of %d tokens", d, said[0].Tokens())
	}
	silent := traced(t, script{{100 * ms, text("a")}, {140 * ms, text("bcde")}, {140 * ms, Piece{Usage: &Usage{OutputTokens: 5}}}})
	if gaps := silent[0].AppendITL(nil); !slices.Equal(gaps, []time.Duration{40 * ms}) {
		t.Errorf("ITL %v", gaps)
	}
	if d, _ := silent[0].TPOT(); d != 10*ms {
		t.Errorf("TPOT %s", d)
	}
	s := Summarize(silent, Limits{})
	if !slices.ContainsFunc(s.Notes(), func(n string) bool {
		return strings.Contains(n, "2.50 on average") && strings.Contains(n, "gap between pieces")
	}) {
		t.Errorf("notes %q", s.Notes())
	}
}

// TestCoordinatedOmission is TestStall, of requests that take no time by themselves.
func TestCoordinatedOmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &sleeper{stall: time.Second, start: time.Now()}
		traces := Run(t.Context(), server, Load{Requests: requests(50, 1), Starts: Arrivals{Rate: 10, Fixed: true}.Times(50)})
		s := Summarize(traces, Limits{})
		if s.TTFT.P99 < 900 || s.E2E.P99 < 900 || s.TTFT.P50 != 0 {
			t.Errorf("TTFT %+v", s.TTFT)
		}
	})
}

func TestPercentiles(t *testing.T) {
	var s samples
	for v := 1000; v >= 1; v-- {
		s.add(float64(v))
	}
	d := s.distribution()
	got := []float64{d.Min, d.P1, d.P5, d.P10, d.P50, d.P90, d.P95, d.P99, d.P999, d.Max}
	if want := []float64{1, 10, 50, 100, 500, 900, 950, 990, 999, 1000}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if d.Mean != 500.5 || math.Abs(d.StdDev-288.8194) > 1e-4 {
		t.Errorf("mean %v, standard deviation %v", d.Mean, d.StdDev)
	}
	for n := 1; n < 200; n++ {
		var s samples
		for v := range n {
			s.add(float64(v*v%7), float64(v))
		}
		d := s.distribution()
		p := []float64{d.Min, d.P1, d.P5, d.P10, d.P50, d.P90, d.P95, d.P99, d.P999, d.Max}
		if !slices.IsSorted(p) {
			t.Errorf("%d samples: %v", n, p)
		}
	}
}

// TestBadTailOfRates: of rates the table shows the low percentiles.
func TestBadTailOfRates(t *testing.T) {
	var b strings.Builder
	s := Summarize(answered(100), Limits{})
	if err := s.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "speed") })
	if at < 1 || !slices.Equal(strings.Fields(lines[at-1]), []string{"n", "mean", "sd", "min", "p1", "p5", "p10", "p50", "max"}) {
		t.Fatalf("table:\n%s", b.String())
	}
	if s.Speed.P1 > s.Speed.P50 || s.Speed.Min != s.Speed.P1 {
		t.Errorf("speed %+v", s.Speed)
	}
}

func TestFormulasArePrinted(t *testing.T) {
	var table, line strings.Builder
	r := Result{Traces: answered(3)}
	r.Summary = Summarize(r.Traces, Limits{})
	if err := r.Summary.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&line); err != nil {
		t.Fatal(err)
	}
	for _, f := range Formulas {
		if !strings.Contains(table.String(), f.Name) || !strings.Contains(table.String(), f.Text) {
			t.Errorf("the table does not define %s", f.Name)
		}
		if !strings.Contains(line.String(), `"`+f.Name+`":"`) {
			t.Errorf("the JSON does not define %s", f.Name)
		}
	}
}

// answered are n traces of ever slower answers.
func answered(n int) []Trace {
	traces := make([]Trace, n)
	for i := range traces {
		d := time.Duration(i+1) * ms
		traces[i] = Trace{ID: i, Pieces: []Stamp{{At: 10 * d}, {At: 12 * d}, {At: 15 * d}}, End: 15 * d, Usage: &Usage{PromptTokens: 5, OutputTokens: 3}}
	}
	return traces
}
