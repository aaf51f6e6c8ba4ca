package bench

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// noisy is a run whose pieces come about d after each other.
func noisy(seed uint64, d time.Duration) *Result {
	r := rand.New(rand.NewPCG(seed, 1))
	traces := make([]Trace, 60)
	for i := range traces {
		at := time.Duration(i%4) * ms
		t := Trace{ID: i, Usage: &Usage{OutputTokens: 30}}
		for range 30 {
			at += time.Duration(float64(d) * (0.8 + 0.4*r.Float64()))
			t.Pieces = append(t.Pieces, Stamp{At: at})
		}
		t.End = at
		traces[i] = t
	}
	return &Result{Name: "noisy", Machine: ThisMachine(), Traces: traces, Summary: Summarize(traces, Limits{})}
}

func TestCompare(t *testing.T) {
	find := func(a, b *Result, name string) Ratio {
		t.Helper()
		for _, r := range Compare(a, b) {
			if r.Name == name {
				return r
			}
		}
		t.Fatalf("no ratio of %s", name)
		return Ratio{}
	}
	a, b, c := noisy(1, 20*ms), noisy(2, 20*ms), noisy(3, 30*ms)
	for _, name := range []string{"ITL p50, ms", "TPOT mean, ms", "TTFT p50, ms", "E2E mean, ms"} {
		if r := find(a, b, name); r.Differs() || math.Abs(r.Ratio-1) > 0.1 {
			t.Errorf("alike: %+v", r)
		}
		if r := find(a, c, name); !r.Differs() || r.Ratio < 1.3 || r.Ratio > 1.7 || r.CI[0] > r.Ratio || r.CI[1] < r.Ratio || r.verdict() != "worse" {
			t.Errorf("different: %+v", r)
		}
	}
	if r := find(c, a, "output tokens/s"); r.Ratio < 1.3 || !r.Higher {
		t.Errorf("%+v", r)
	}
}

func TestWriteComparison(t *testing.T) {
	a, b := noisy(1, 20*ms), noisy(2, 10*ms)
	a.Config, b.Config = map[string]string{"requests": "60", "model": "m"}, map[string]string{"requests": "61", "model": "m"}
	b.Summary.Failed = 1
	var out strings.Builder
	if err := WriteComparison(&out, a, b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"noisy: 1 of 60 requests FAILED", `differs: requests: "60", "61"`, "B/A", "TTFT p50, ms", "better"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "differs: m") {
		t.Errorf("what is equal is said to differ:\n%s", out.String())
	}
}
