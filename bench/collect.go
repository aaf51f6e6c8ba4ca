package bench

import "time"

// collected are the samples of all figures of a run.
type collected struct {
	ttft, itl, tpot, e2e, wait, queued samples // milliseconds
	speed, input, output               samples
	rate                               samples // output tokens per second in each stretch of the run
}

// collect takes the samples from the answered requests.
func collect(traces []Trace) *collected {
	c := &collected{}
	var gaps []time.Duration
	for i := range traces {
		if t := &traces[i]; t.Err == nil {
			gaps = t.AppendITL(gaps[:0])
			c.take(t, gaps)
		}
	}
	c.rate.each(stretches(traces))
	return c
}

func (c *collected) take(t *Trace, gaps []time.Duration) {
	if d, ok := t.TTFT(); ok {
		c.ttft.add(milliseconds(d))
	}
	if d, ok := t.TPOT(); ok {
		c.tpot.add(milliseconds(d))
	}
	values := make([]float64, len(gaps))
	for i, d := range gaps {
		values[i] = milliseconds(d)
	}
	c.itl.add(values...)
	c.e2e.add(milliseconds(t.E2E()))
	c.wait.add(milliseconds(t.Wait()))
	c.output.add(float64(t.Tokens()))
	if t.E2E() > 0 {
		c.speed.add(t.Speed())
	}
	if u := t.Usage; u != nil {
		c.input.add(float64(u.PromptTokens))
		if u.Queued > 0 {
			c.queued.add(milliseconds(u.Queued))
		}
	}
}

// each adds every value as a cluster of its own.
func (s *samples) each(values []float64) {
	for _, v := range values {
		s.add(v)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// twentieth is how many stretches of a run are resampled.
const twentieth = 20

// stretches returns the output tokens per second of each twentieth of the run,
// whose mean is the throughput. The tokens of a request are spread over its
// pieces, because most servers only count them at the end. It is nil for a run
// of fewer pieces than would fill the stretches.
func stretches(traces []Trace) []float64 {
	end := length(traces)
	rates := make([]float64, twentieth)
	pieces := 0
	for i := range traces {
		t := &traces[i]
		if t.Err != nil && !t.interrupted() {
			continue
		}
		pieces += len(t.Pieces)
		for _, p := range t.Pieces {
			at := min(int(p.At*twentieth/max(end, 1)), twentieth-1)
			rates[at] += float64(t.Tokens()) / float64(len(t.Pieces))
		}
	}
	if pieces < twentieth || end == 0 {
		return nil
	}
	for i := range rates {
		rates[i] = per(rates[i]*twentieth, end)
	}
	return rates
}
