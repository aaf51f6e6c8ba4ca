package bench

import "time"

// Trace is what happened to one request. All times are since the run began.
type Trace struct {
	ID     int           // of the request in Load.Requests
	Turn   int           // of its conversation; 0 is the first
	Due    time.Duration // its intended start
	Sent   time.Duration
	Pieces []Stamp       // those with text
	End    time.Duration // when the last thing came: text, counts, [DONE] or the error
	Asked  int           // most tokens of the answer; 0: left to the server
	Usage  *Usage        // nil where the server sent none
	NoDone bool          // the answer was finished, but no [DONE] came
	Err    *Error        // nil: it was answered
}

// Stamp is the arrival of a piece with text.
type Stamp struct {
	At     time.Duration
	Tokens int // in the piece; 0 where the server does not say
}

// tokens of a piece: one, where the server does not say.
func (s Stamp) tokens() int { return max(s.Tokens, 1) }

// TTFT is the time from the intended start to the first piece with text.
// There is none in an answer without text.
func (t *Trace) TTFT() (d time.Duration, ok bool) {
	if len(t.Pieces) == 0 {
		return 0, false
	}
	return t.Pieces[0].At - t.Due, true
}

// AppendITL appends the time before each token to dst: the gap before a piece,
// shared evenly among its tokens. The tokens of the first piece have none.
func (t *Trace) AppendITL(dst []time.Duration) []time.Duration {
	for i := 1; i < len(t.Pieces); i++ {
		k := t.Pieces[i].tokens()
		gap := (t.Pieces[i].At - t.Pieces[i-1].At) / time.Duration(k)
		for range k {
			dst = append(dst, gap)
		}
	}
	return dst
}

// TPOT is the time per output token after the first piece. There is none below
// two pieces, nor where the server counts no token after the first.
func (t *Trace) TPOT() (d time.Duration, ok bool) {
	n := len(t.Pieces)
	if n < 2 {
		return 0, false
	}
	rest := t.Tokens() - t.Pieces[0].tokens()
	if rest <= 0 {
		return 0, false
	}
	return (t.Pieces[n-1].At - t.Pieces[0].At) / time.Duration(rest), true
}

// E2E is the time from the intended start to the end.
func (t *Trace) E2E() time.Duration { return t.End - t.Due }

// Wait is how late the request was sent.
func (t *Trace) Wait() time.Duration { return t.Sent - t.Due }

// Tokens is the number of output tokens: by the server's count where it gives
// one, else by its pieces.
func (t *Trace) Tokens() int {
	if t.Usage != nil {
		return t.Usage.OutputTokens
	}
	n := 0
	for _, p := range t.Pieces {
		n += p.tokens()
	}
	return n
}

// Speed is output tokens per second of the whole request, or 0 where no time
// passed.
func (t *Trace) Speed() float64 { return per(float64(t.Tokens()), t.E2E()) }

// Flaws are what was wrong with an answer that is usable nevertheless.
func (t *Trace) Flaws() (kinds []Kind) {
	if t.Usage == nil {
		kinds = append(kinds, NoUsage)
	}
	if t.NoDone {
		kinds = append(kinds, NoDone)
	}
	if len(t.Pieces) == 0 {
		kinds = append(kinds, Empty)
	}
	return kinds
}

// interrupted reports whether the end of the run broke the request off.
func (t *Trace) interrupted() bool { return t.Err != nil && t.Err.Kind == Interrupted }

// per is n per second, and 0 where no time passed.
func per(n float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return n / d.Seconds()
}
