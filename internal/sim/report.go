package sim

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/stat"

	"example.com/minillm/paged"
)

// Report is what clients saw of a system, and what it cost.
type Report struct {
	Name    string
	Time    time.Duration // until the last token
	Served  int
	Refused int
	Output  int // tokens
	TTFT    Times
	ITL     Times

	Steps     int
	Computed  int   // tokens
	Preempted int64 // sequences
	Lost      int64 // computed tokens that preemptions gave up
	Regained  int64 // of those, tokens found again
	Cache     paged.Stats

	prompts, cached int
}

// Throughput returns the output tokens per second.
func (r *Report) Throughput() float64 { return float64(r.Output) / r.Time.Seconds() }

// HitRate returns the part of all prompt tokens that was found in the cache.
func (r *Report) HitRate() float64 { return float64(r.cached) / float64(max(r.prompts, 1)) }

// saved returns the part of what preemptions gave up that was found again.
func (r *Report) saved() string {
	if r.Lost == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(r.Regained)/float64(r.Lost))
}

// Table writes reports side by side.
func Table(w io.Writer, reports []Report) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\ttok/s\tTTFT p50\tp90\tp99\tITL p50\tp90\tp99\tpreempted\tfound again\thits\ttokens/step\t")
	for _, r := range reports {
		fmt.Fprintf(t, "%s\t%.0f\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%.0f %%\t%.0f\t\n", r.Name, r.Throughput(),
			short(r.TTFT.Quantile(0.5)), short(r.TTFT.Quantile(0.9)), short(r.TTFT.Quantile(0.99)),
			short(r.ITL.Quantile(0.5)), short(r.ITL.Quantile(0.9)), short(r.ITL.Quantile(0.99)),
			r.Preempted, r.saved(), 100*r.HitRate(), float64(r.Computed)/float64(max(r.Steps, 1)))
	}
	return t.Flush()
}

// short rounds d to milliseconds, or to seconds where it is long.
func short(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(time.Millisecond).String()
	}
	return fmt.Sprintf("%.0fs", d.Seconds())
}

// Times counts durations in buckets one hundredth apart, so that a hundred
// million of them take no room. The zero value is empty.
type Times struct {
	counts []float64 // by the logarithm of the duration
	n      float64
}

var step = math.Log(1.01)

func (t *Times) add(d time.Duration) {
	i := int(math.Log(math.Max(float64(d)/float64(time.Microsecond), 1)) / step)
	for len(t.counts) <= i {
		t.counts = append(t.counts, 0)
	}
	t.counts[i]++
	t.n++
}

// String returns the median and the ends.
func (t Times) String() string {
	return fmt.Sprintf("p1 %s p50 %s p99 %s", short(t.Quantile(0.01)), short(t.Quantile(0.5)), short(t.Quantile(0.99)))
}

// N returns how many durations were counted.
func (t *Times) N() int { return int(t.n) }

// Quantile returns the duration that the part p of all does not exceed, to one
// per cent; 0 if there are none.
func (t *Times) Quantile(p float64) time.Duration {
	if t.n == 0 {
		return 0
	}
	at := make([]float64, len(t.counts))
	for i := range at {
		at[i] = math.Exp((float64(i) + 0.5) * step)
	}
	return time.Duration(stat.Quantile(p, stat.Empirical, at, t.counts) * float64(time.Microsecond))
}
