package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestNothing: no run, however empty, divides by zero or makes JSON that
// cannot be written.
func TestNothing(t *testing.T) {
	failed := Trace{Err: failf(Connect, "refused")}
	for name, traces := range map[string][]Trace{
		"no request":        nil,
		"all failed":        {failed, failed},
		"no time passed":    {{Usage: &Usage{}}},
		"text in no time":   {{Pieces: make([]Stamp, 30), Usage: &Usage{OutputTokens: 30}}},
		"one interrupted":   {{End: time.Second, Err: failf(Interrupted, "over")}},
		"no text":           {{End: time.Second}},
		"one piece":         {{End: time.Second, Pieces: []Stamp{{At: time.Second}}}},
		"zero tokens count": {{End: time.Second, Pieces: []Stamp{{At: 1}, {At: 2}}, Usage: &Usage{}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := Summarize(traces, Limits{TTFT: time.Second, ITL: 1, TPOT: 1, E2E: 1})
			line, err := json.Marshal(s) // refuses NaN and infinities
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := s.WriteTable(&b); err != nil {
				t.Fatal(err)
			}
			if text := b.String() + string(line); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Error(text)
			}
			Compare(&Result{Traces: traces, Summary: s}, &Result{Traces: traces, Summary: s})
		})
	}
}

func TestFailuresComeFirst(t *testing.T) {
	traces := append(answered(2),
		Trace{Err: failf("http 429", "slow down")}, Trace{Err: failf("http 429", "slow down, please")},
		Trace{Err: failf(Hangup, "gone"), Pieces: make([]Stamp, 4)})
	s := Summarize(traces, Limits{})
	var b strings.Builder
	if err := s.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	want := "3 of 5 requests FAILED; the figures below are of the others\n  2 × http 429: slow down\n  1 × hangup: gone\n\n2 of 5 requests answered"
	if !strings.HasPrefix(b.String(), want) {
		t.Errorf("the table begins:\n%s", b.String())
	}
	if s.LostTokens != 4 || s.OutputTokens != 6 {
		t.Errorf("%d tokens lost, %d put out", s.LostTokens, s.OutputTokens)
	}
}

func TestGoodput(t *testing.T) {
	traces := append(answered(8), Trace{Err: failf(Hangup, "gone")}, Trace{Err: failf(Interrupted, "over")}, Trace{Usage: &Usage{}})
	for _, test := range []struct {
		limits Limits
		good   int
	}{
		{Limits{TTFT: 40 * ms}, 4}, // TTFT is 10, 20 … 80 ms; the last answer has none
		{Limits{E2E: 60 * ms}, 5},  // 15, 30 … 120, and 0
		{Limits{ITL: 9 * ms}, 4},   // at most 3, 6 … 24
		{Limits{TPOT: 10 * ms}, 5}, // 2.5, 5 … 20
		{Limits{TTFT: 40 * ms, ITL: 6 * ms}, 2},
	} {
		s := Summarize(traces, test.limits)
		share := float64(test.good) / 10
		if s.Good != test.good || s.GoodPart != share || s.Goodput != float64(test.good)/0.12 {
			t.Errorf("%s: %d good, share %v, %v a second", test.limits, s.Good, s.GoodPart, s.Goodput)
		}
	}
}

func TestPeak(t *testing.T) {
	at := func(sent, end int) Trace { return Trace{Sent: time.Duration(sent), End: time.Duration(end)} }
	for _, test := range []struct {
		traces []Trace
		want   int
	}{
		{nil, 0},
		{[]Trace{at(1, 1)}, 0},
		{[]Trace{at(0, 2), at(2, 4)}, 1},
		{[]Trace{at(0, 9), at(1, 3), at(2, 5), at(4, 6), at(3, 4)}, 3},
	} {
		if got := peak(test.traces); got != test.want {
			t.Errorf("%v: %d at once, want %d", test.traces, got, test.want)
		}
	}
}

func TestResultRoundTrip(t *testing.T) {
	traces := append(answered(3),
		Trace{ID: 3, Turn: 1, Due: 5 * ms, Sent: 6 * ms, End: 9 * ms, Asked: 7, NoDone: true,
			Pieces: []Stamp{{8 * ms, 2}, {9 * ms, 0}}, Usage: &Usage{7, 5, 3, 2 * ms}},
		Trace{ID: 4, Err: &Error{Hangup, errors.New("gone")}})
	r := &Result{Name: "a server", Started: time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC), Config: map[string]string{"clients": "3"},
		Machine: ThisMachine(), Summary: Summarize(traces, Limits{TTFT: time.Second}), Traces: traces,
		Sweep: []Point{{Rate: 2, Held: true, Summary: Summarize(traces, Limits{})}}}
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 1 {
		t.Errorf("%d lines", n)
	}
	path := filepath.Join(t.TempDir(), "r.json")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadResult(path)
	if err != nil {
		t.Fatal(err)
	}
	got.Formulas = nil
	if !reflect.DeepEqual(got, r) {
		t.Errorf("got\n%+v\nwant\n%+v", got, r)
	}
}

func TestReadResultRefuses(t *testing.T) {
	for _, text := range []string{"", "{", "{}", `{"rows":[]}`, `{"summary":{"requests":2},"requests":[{}]}`,
		`{"summary":{"requests":1},"requests":[{"gaps_us":[1],"piece_tokens":[1,2]}]}`} {
		path := filepath.Join(t.TempDir(), "r.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := ReadResult(path); err == nil {
			t.Errorf("%q was read as %+v", text, r)
		}
	}
}
