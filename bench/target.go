package bench

import (
	"context"
	"iter"
	"time"
)

// Target answers requests. Do may be called by many goroutines at once.
type Target interface {
	// Do yields the answer's pieces at the moment they arrive: that moment is
	// what is measured. An error ends the answer; one of type *Error is counted
	// under its Kind. When ctx is done or the loop is left, Do stops the request
	// and returns soon.
	Do(ctx context.Context, r Request) iter.Seq2[Piece, error]
}

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role"` // "system", "user" or "assistant"
	Content string `json:"content"`
}

// Request is what one user wants: an answer, or several in a conversation.
type Request struct {
	Messages  []Message
	MaxTokens int    // most tokens of the answer; 0 leaves it to the server
	Then      []Turn // what the user says next, after each answer
}

// Turn is what the user of a conversation says after an answer.
type Turn struct {
	Content   string
	MaxTokens int
	Think     time.Duration // passes after the end of the answer before the turn is due
}

// Piece is a part of an answer, as it arrives.
type Piece struct {
	Text   string // may be empty: then it is no token
	Tokens int    // in this piece, by the server's own count; 0 where it gives none
	Usage  *Usage // the server's counts, where it sends them; the last ones hold
	Done   bool   // the answer is complete, though the target may still have to tidy up
}

// Usage is what a server says of a request.
type Usage struct {
	PromptTokens int
	CachedTokens int // of the prompt, found computed
	OutputTokens int
	Queued       time.Duration // until the engine began to compute; 0 where it does not say
}
