package serve

import (
	"errors"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/sampling"
)

var (
	// ErrBusy says that too much is waiting: try again later.
	ErrBusy = errors.New("serve: too many requests are waiting")

	// ErrInvalid says that a request asks for what does not exist, such as a
	// negative temperature.
	ErrInvalid = errors.New("serve: invalid request")

	// ErrClosed says that the engine stops, or has stopped.
	ErrClosed = errors.New("serve: closed")
)

// Message is one turn of a conversation.
type Message struct {
	Role    string // "system", "user" or "assistant"
	Content string
}

// Request says how to generate. The zero value is greedy and goes on to the
// end of the answer or of the context.
type Request struct {
	MaxTokens   int             // most new tokens, the end token included; 0: the rest of the context
	Sampling    sampling.Params // zero is greedy
	Stop        []string        // the text ends before the first of these
	Logprobs    bool            // of the chosen tokens
	TopLogprobs int             // and of so many alternatives at each position
	Priority    int             // lower goes first
	Deadline    time.Time       // the request ends by then, finished or not; zero is none
	Salt        string          // prompts share computed prefixes only under the same salt
	Thinking    bool            // let a model that can think do so, where a template is rendered
}

// Usage counts tokens. CompletionTokens includes the end token, whose text is
// left out.
type Usage struct {
	PromptTokens     int
	CachedTokens     int // of the prompt, found computed
	CompletionTokens int
}

// Timing tells where the time of a request went, from its submission on.
type Timing struct {
	Queued time.Duration // until it was first scheduled
	TTFT   time.Duration // until its first token; 0 if there was none
	Total  time.Duration // until its last
}

// Logprob is the log-probability of a generated token, and the most probable
// alternatives at its place, best first.
type Logprob struct {
	sampling.Logprob
	Top []sampling.Logprob
}

// Piece is a stretch of the answer as it comes: text of whole characters. All
// pieces joined are the text of the answer. The last piece of each choice has
// Finish, Usage and Timing; its text may be empty.
type Piece struct {
	Choice int // of how many the request asked for; 0 is the first
	Text   string

	Reasoning string    // of a model that thinks, before the answer; see TextRequest.Split
	IDs       []int32   // the tokens that came since the last piece
	Logprobs  []Logprob // of those, if asked for
	Prompt    []Logprob // with the first piece: of the prompt's tokens, if asked for; nothing predicts the first of them

	Finish batch.Finish // Running until the last piece
	Usage  *Usage       // with the last piece
	Timing *Timing      // with the last piece
}

// Reply is a whole answer.
type Reply struct {
	Text      string
	Reasoning string // of a model that thinks, before the answer
	IDs       []int32
	Logprobs  []Logprob
	Finish    batch.Finish
	Usage     Usage
	Timing    Timing
}

// TokensPerSecond returns completion tokens by total latency.
func (r *Reply) TokensPerSecond() float64 {
	if r.Timing.Total <= 0 {
		return 0
	}
	return float64(r.Usage.CompletionTokens) / r.Timing.Total.Seconds()
}
