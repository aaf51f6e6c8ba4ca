package bench

import (
	"cmp"
	"slices"
	"time"
)

// Summary is what a run comes to. Times are in milliseconds.
type Summary struct {
	Requests    int             `json:"requests"` // that were due; each turn of a conversation counts
	Answered    int             `json:"answered"`
	Failed      int             `json:"failed"`
	Interrupted int             `json:"interrupted"`
	Errors      map[Kind]int    `json:"errors,omitempty"`
	Examples    map[Kind]string `json:"error_examples,omitempty"` // one of each kind
	Flaws       map[Kind]int    `json:"flaws,omitempty"`          // of answered requests

	Seconds      float64 `json:"duration_s"`
	InputTokens  int     `json:"input_tokens"` // of answered requests, as is the next
	CachedTokens int     `json:"cached_tokens"`
	OutputTokens int     `json:"output_tokens"` // of requests that did not fail
	LostTokens   int     `json:"lost_tokens"`   // came, but in requests that failed
	Pieces       int     `json:"pieces"`        // with text, of requests that did not fail
	PerToken     bool    `json:"itl_per_token"` // the server counts along, so that ITL is of tokens and not of pieces

	RequestRate float64  `json:"requests_per_s"`
	InputRate   float64  `json:"input_tokens_per_s"`
	OutputRate  float64  `json:"output_tokens_per_s"`
	OutputCI    Interval `json:"output_tokens_per_s_ci95,omitzero"`
	Concurrency int      `json:"peak_concurrency"`

	MeanConcurrency float64 `json:"mean_concurrency"`

	Limits   Limits  `json:"limits,omitzero"`
	Good     int     `json:"good,omitempty"` // requests that kept the limits
	Goodput  float64 `json:"goodput_per_s,omitempty"`
	GoodPart float64 `json:"good_share,omitempty"` // of all requests that were not interrupted

	TTFT   Distribution `json:"ttft_ms,omitzero"`
	ITL    Distribution `json:"itl_ms,omitzero"`
	TPOT   Distribution `json:"tpot_ms,omitzero"`
	E2E    Distribution `json:"e2e_ms,omitzero"`
	Wait   Distribution `json:"wait_ms,omitzero"`
	Queued Distribution `json:"queued_ms,omitzero"`
	Speed  Distribution `json:"speed_tokens_per_s,omitzero"` // of each request: its bad tail is p1
	Input  Distribution `json:"input_length,omitzero"`       // where the server counts
	Output Distribution `json:"output_length,omitzero"`
}

// Summarize computes the figures of traces.
func Summarize(traces []Trace, limits Limits) Summary {
	s := Summary{Requests: len(traces), Limits: limits, Concurrency: peak(traces)}
	for i := range traces {
		s.count(&traces[i])
	}
	end := length(traces)
	s.Seconds = end.Seconds()
	s.MeanConcurrency = per(busy(traces), end)
	s.RequestRate = per(float64(s.Answered), end)
	s.InputRate = per(float64(s.InputTokens), end)
	s.OutputRate = per(float64(s.OutputTokens), end)
	if limits != (Limits{}) {
		s.Goodput = per(float64(s.Good), end)
		s.GoodPart = float64(s.Good) / float64(max(s.Answered+s.Failed, 1))
	}
	s.measure(traces)
	return s
}

// count adds one request to the counts.
func (s *Summary) count(t *Trace) {
	if t.Err != nil {
		s.fail(t)
		return
	}
	s.Answered++
	for _, k := range t.Flaws() {
		increment(&s.Flaws, k)
	}
	if u := t.Usage; u != nil {
		s.InputTokens += u.PromptTokens
		s.CachedTokens += u.CachedTokens
	}
	s.OutputTokens += t.Tokens()
	s.Pieces += len(t.Pieces)
	for _, p := range t.Pieces {
		s.PerToken = s.PerToken || p.Tokens > 0
	}
	if s.Limits.Keeps(t) {
		s.Good++
	}
}

func (s *Summary) fail(t *Trace) {
	if t.interrupted() {
		s.Interrupted++
		s.OutputTokens += t.Tokens()
		s.Pieces += len(t.Pieces)
		return
	}
	s.Failed++
	s.LostTokens += t.Tokens()
	increment(&s.Errors, t.Err.Kind)
	if s.Examples == nil {
		s.Examples = make(map[Kind]string)
	}
	if _, ok := s.Examples[t.Err.Kind]; !ok {
		s.Examples[t.Err.Kind] = t.Err.Err.Error()
	}
}

func increment(m *map[Kind]int, k Kind) {
	if *m == nil {
		*m = make(map[Kind]int)
	}
	(*m)[k]++
}

// measure computes the distributions over the answered requests.
func (s *Summary) measure(traces []Trace) {
	c := collect(traces)
	s.TTFT, s.ITL, s.TPOT, s.E2E = c.ttft.distribution(), c.itl.distribution(), c.tpot.distribution(), c.e2e.distribution()
	s.Wait, s.Queued, s.Speed = c.wait.distribution(), c.queued.distribution(), c.speed.distribution()
	s.Input, s.Output = c.input.distribution(), c.output.distribution()
	if r := c.rate.replicas(1, mean); r != nil && s.OutputRate > 0 {
		s.OutputCI = middle(r[0])
	}
}

// busy is the seconds that all requests together were under way.
func busy(traces []Trace) (s float64) {
	for _, t := range traces {
		s += (t.End - t.Sent).Seconds()
	}
	return s
}

// TokensPerPiece is the mean over the run, or 0 where no text came.
func (s *Summary) TokensPerPiece() float64 {
	return float64(s.OutputTokens) / float64(max(s.Pieces, 1))
}

// length is the time of the last end.
func length(traces []Trace) (end time.Duration) {
	for _, t := range traces {
		end = max(end, t.End)
	}
	return end
}

// peak is the most requests that were under way at once. One that ends at the
// moment another is sent is not counted beside it.
func peak(traces []Trace) (most int) {
	type change struct {
		at time.Duration
		by int
	}
	var changes []change
	for _, t := range traces {
		if t.End > t.Sent {
			changes = append(changes, change{t.Sent, 1}, change{t.End, -1})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), a.by-b.by) })
	now := 0
	for _, c := range changes {
		now += c.by
		most = max(most, now)
	}
	return most
}
