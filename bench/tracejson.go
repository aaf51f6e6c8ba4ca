package bench

import (
	"encoding/json"
	"errors"
	"time"
)

// wireTrace is a trace as JSON has it: times in whole microseconds, those of
// pieces as the gap to the time before (the first to the intended start), because
// there are many of them.
type wireTrace struct {
	ID     int     `json:"id"`
	Turn   int     `json:"turn,omitempty"`
	Due    int64   `json:"due_us"`
	Sent   int64   `json:"sent_us"`
	End    int64   `json:"end_us"`
	Asked  int     `json:"max_tokens,omitempty"`
	Input  *int    `json:"input_tokens,omitempty"` // these three only where the server counts
	Cached int     `json:"cached_tokens,omitempty"`
	Output int     `json:"output_tokens,omitempty"`
	Queued int64   `json:"queued_us,omitempty"`
	Gaps   []int64 `json:"gaps_us,omitempty"`
	Tokens []int   `json:"piece_tokens,omitempty"` // where the server says
	NoDone bool    `json:"no_done,omitempty"`
	Kind   Kind    `json:"error_kind,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// MarshalJSON writes times in microseconds.
func (t Trace) MarshalJSON() ([]byte, error) {
	w := wireTrace{ID: t.ID, Turn: t.Turn, Due: t.Due.Microseconds(), Sent: t.Sent.Microseconds(), End: t.End.Microseconds(),
		Asked: t.Asked, NoDone: t.NoDone}
	if u := t.Usage; u != nil {
		w.Input, w.Cached, w.Output, w.Queued = &u.PromptTokens, u.CachedTokens, u.OutputTokens, u.Queued.Microseconds()
	}
	if t.Err != nil {
		w.Kind, w.Error = t.Err.Kind, t.Err.Err.Error()
	}
	last, said := w.Due, false
	for _, p := range t.Pieces {
		w.Gaps = append(w.Gaps, p.At.Microseconds()-last)
		w.Tokens = append(w.Tokens, p.Tokens)
		last, said = p.At.Microseconds(), said || p.Tokens > 0
	}
	if !said {
		w.Tokens = nil
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Trace) UnmarshalJSON(data []byte) error {
	var w wireTrace
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	if w.Tokens != nil && len(w.Tokens) != len(w.Gaps) {
		return errors.New("piece_tokens and gaps_us differ in length")
	}
	*t = Trace{ID: w.ID, Turn: w.Turn, Due: micro(w.Due), Sent: micro(w.Sent), End: micro(w.End), Asked: w.Asked, NoDone: w.NoDone}
	if w.Input != nil {
		t.Usage = &Usage{PromptTokens: *w.Input, CachedTokens: w.Cached, OutputTokens: w.Output, Queued: micro(w.Queued)}
	}
	if w.Kind != "" {
		t.Err = &Error{Kind: w.Kind, Err: errors.New(w.Error)}
	}
	at := w.Due
	for i, gap := range w.Gaps {
		at += gap
		p := Stamp{At: micro(at)}
		if w.Tokens != nil {
			p.Tokens = w.Tokens[i]
		}
		t.Pieces = append(t.Pieces, p)
	}
	return nil
}

func micro(us int64) time.Duration { return time.Duration(us) * time.Microsecond }
