package bench

import (
	"context"
	"iter"
	"time"
)

// sleeper answers with a first piece after ttft and each further one after
// itl. What it says of tokens is up to the other fields.
type sleeper struct {
	ttft, itl time.Duration
	pieces    int           // 0: as many as the request asks for
	tokens    int           // said to be in each piece
	usage     bool          // sends counts at the end
	stall     time.Duration // at 1 s the server stops for so long
	start     time.Time
}

func (s *sleeper) Do(ctx context.Context, r Request) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		n := s.pieces
		if n == 0 {
			n = r.MaxTokens
		}
		wait := s.ttft
		for i := range n {
			if err := s.sleep(ctx, wait); err != nil {
				yield(Piece{}, err)
				return
			}
			wait = s.itl
			p := Piece{Text: "word ", Tokens: s.tokens}
			if s.usage && i == n-1 {
				p.Usage = &Usage{PromptTokens: 10, OutputTokens: n * max(s.tokens, 1)}
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

// sleep waits for d of the server's time: while it stalls, nothing moves.
func (s *sleeper) sleep(ctx context.Context, d time.Duration) error {
	from, to := s.start.Add(time.Second), s.start.Add(time.Second+s.stall)
	if now := time.Now(); s.stall > 0 && now.Before(to) {
		switch {
		case !now.Before(from):
			d += to.Sub(now)
		case now.Add(d).After(from):
			d += s.stall
		}
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// target is a Target that is a function.
type target func(ctx context.Context, r Request, yield func(Piece, error) bool)

func (f target) Do(ctx context.Context, r Request) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) { f(ctx, r, yield) }
}

// requests are n requests of one word that ask for so many tokens.
func requests(n, tokens int) []Request {
	return Prompts{Input: Exactly(1), Output: Exactly(tokens)}.Requests(n)
}
