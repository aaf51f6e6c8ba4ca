package openai

import (
	"context"
	"iter"
	"net/http"
	"runtime/debug"
	"strings"

	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
)

// form is how an endpoint words its answer.
type form interface {
	// whole returns the body of an answer with all its choices.
	whole(choices []choice, u usage) any

	// chunk returns the event of a piece of a streamed answer.
	chunk(p serve.Piece) any

	// last returns the event, after all others, that has the usage.
	last(u usage) any
}

// answer computes and sends. What goes wrong before anything was sent is
// answered with a status of its own.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, f form, requests []serve.TextRequest, s *settings) {
	pieces, err := h.start(r.Context(), requests, s.best)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	if s.stream {
		stream(w, f, pieces, s)
		return
	}
	choices, u, err := collect(pieces, len(requests), s.best)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	wire.WriteJSON(w, http.StatusOK, f.whole(choices, u))
}

// start submits the requests: all of them or none. Their pieces come together;
// choices are counted through, n for each request.
func (h *Handler) start(ctx context.Context, requests []serve.TextRequest, n int) (iter.Seq2[serve.Piece, error], error) {
	ctx, cancel := context.WithCancel(ctx)
	all := make([]iter.Seq2[serve.Piece, error], len(requests))
	for i, r := range requests {
		pieces, err := h.generator.Generate(ctx, r)
		if err != nil {
			cancel()
			return nil, err
		}
		all[i] = pieces
	}
	return func(yield func(serve.Piece, error) bool) {
		defer cancel()
		for p, err := range merge(ctx, all, n) {
			if err == nil {
				err = failed(&p)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}, nil
}

// merge yields what all sequences yield, as it comes.
func merge(ctx context.Context, all []iter.Seq2[serve.Piece, error], n int) iter.Seq2[serve.Piece, error] {
	if len(all) == 1 {
		return all[0]
	}
	return func(yield func(serve.Piece, error) bool) {
		type result struct {
			piece serve.Piece
			err   error
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		results := make(chan result)
		for i, pieces := range all {
			send := func(p serve.Piece, err error) bool {
				p.Choice += i * n
				select {
				case results <- result{p, err}:
					return true
				case <-ctx.Done():
					return false
				}
			}
			go func() {
				defer contain(func(err error) { send(serve.Piece{}, err) })
				pieces(send)
			}()
		}
		for left := len(all) * n; left > 0; {
			select {
			case r := <-results:
				if !yield(r.piece, r.err) || r.err != nil {
					return
				}
				if r.piece.Usage != nil {
					left--
				}
			case <-ctx.Done():
				yield(serve.Piece{}, context.Cause(ctx))
				return
			}
		}
	}
}

// failed returns an error for an end that is no answer's.
func failed(p *serve.Piece) error {
	switch {
	case p.Usage == nil:
		return nil
	case p.Finish.String() == "timeout" && p.Usage.CompletionTokens == 0:
		return &wire.Error{Status: http.StatusServiceUnavailable, Type: "server_error", Code: "timeout", Message: "the request waited too long"}
	case p.Finish.String() == "cancelled":
		return context.Canceled
	}
	return nil
}

// choice is one answer, whole.
type choice struct {
	text, reasoning strings.Builder
	logprobs        []serve.Logprob
	prompt          []serve.Logprob
	finish          string
}

// collect joins the pieces of n choices for each of some prompts.
func collect(pieces iter.Seq2[serve.Piece, error], prompts, n int) ([]choice, usage, error) {
	choices := make([]choice, prompts*n)
	var u usage
	for p, err := range pieces {
		if err != nil {
			return nil, u, err
		}
		c := &choices[p.Choice]
		c.text.WriteString(p.Text)
		c.reasoning.WriteString(p.Reasoning)
		c.logprobs = append(c.logprobs, p.Logprobs...)
		if p.Prompt != nil {
			c.prompt = p.Prompt
		}
		if p.Usage != nil {
			c.finish = reason(&p)
			u.add(&p, n)
		}
	}
	return choices, u, nil
}

// reason is why a choice ended, in OpenAI's words.
func reason(p *serve.Piece) string {
	if p.Finish.String() == "stop" {
		return "stop"
	}
	return "length"
}

// usage counts tokens: those of each prompt once, those of all choices.
type usage struct {
	Prompt     int           `json:"prompt_tokens"`
	Completion int           `json:"completion_tokens"`
	Total      int           `json:"total_tokens"`
	Details    promptDetails `json:"prompt_tokens_details"`
}

type promptDetails struct {
	Cached int `json:"cached_tokens"`
}

// add counts the last piece of a choice, of n for each prompt.
func (u *usage) add(p *serve.Piece, n int) {
	if p.Choice%n == 0 {
		u.Prompt += p.Usage.PromptTokens
		u.Details.Cached += p.Usage.CachedTokens
	}
	u.Completion += p.Usage.CompletionTokens
	u.Total = u.Prompt + u.Completion
}

// contain, deferred, makes an error of a panic of the generator. In a goroutine
// of its own it would end the process.
func contain(fail func(error)) {
	if p := recover(); p != nil {
		fail(&serve.PanicError{In: "generator", Value: p, Stack: debug.Stack()})
	}
}
