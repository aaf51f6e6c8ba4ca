package serve

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"example.com/minillm/batch"
	"example.com/minillm/sampling"
	"example.com/minillm/tokenizer"
)

// Text puts whole characters, stop strings and usage in front of an engine.
// Its requests carry the ids of the prompt: whoever has messages renders and
// encodes them first.
type Text struct {
	Engine    *Engine
	Tokenizer tokenizer.Tokenizer
}

// TextRequest is a Request over the ids of a prompt.
type TextRequest struct {
	Request
	Prompt []int32
	N      int // choices over this prompt, each with a seed of its own; 0 is 1

	PromptLogprobs bool // of the prompt's tokens, too; computes all of it
	OnlyPrompt     bool // generate nothing
	IncludeStop    bool // let the text end with the stop string rather than before it
	IgnoreEnd      bool // go on past the model's end tokens
	NoCache        bool // compute the whole sequence for every token: the baseline

	// Split makes the splitter of a choice's reasoning from its answer. Stop
	// strings are looked for in the answer only. Nil: all of it is the answer.
	Split   func() Splitter
	Visible []int32 // control tokens whose spelling is part of the text, such as those around reasoning

	Tenant string  // fairness is among tenants, by tokens; "" is that of the context, see WithTenant
	Weight float64 // this tenant's share against the others'; 0 is 1
}

// Splitter tells the reasoning at the beginning of a text from the answer after
// it. *chat.Splitter is one.
type Splitter interface {
	Push(text string) (reasoning, answer string) // what is certain by now
	Flush() (reasoning, answer string)           // what was held back, at the end of the text
}

// Encode returns the ids of a raw text, with BOS in front where the model
// wants it there.
func (t Text) Encode(text string) []int32 {
	var ids []int32
	if bos, add := t.Tokenizer.BOS(); add {
		ids = append(ids, bos)
	}
	return t.Tokenizer.Encode(ids, text)
}

// Generate submits r and returns the pieces of its answer, of all choices as
// they come. What can be refused is refused here, before any piece. Leaving
// the loop, or the end of ctx, cancels the request.
//
// Pieces are made at the engine's pace, not the caller's, so that a slow reader
// does not make the engine compute far past a stop string.
func (t Text) Generate(ctx context.Context, r TextRequest) (iter.Seq2[Piece, error], error) {
	r.Tenant = tenant(ctx, r.Tenant)
	specs, err := t.specs(r)
	if err != nil {
		return nil, err
	}
	streams, err := t.Engine.Submit(ctx, specs...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	out := newFeed[result]()
	for i, s := range streams {
		go t.assemble(ctx, i, s, &r, out)
	}
	return func(yield func(Piece, error) bool) {
		defer cancel()
		pull(ctx, out, len(streams), yield)
	}, nil
}

// Complete is Generate for those who want the whole answer of one choice.
func (t Text) Complete(ctx context.Context, r TextRequest) (*Reply, error) {
	r.N = 1
	pieces, err := t.Generate(ctx, r)
	if err != nil {
		return nil, err
	}
	return Collect(pieces)
}

// Collect joins the pieces of one choice into a reply.
func Collect(pieces iter.Seq2[Piece, error]) (*Reply, error) {
	var text, reasoning strings.Builder
	r := &Reply{}
	for p, err := range pieces {
		if err != nil {
			return nil, err
		}
		text.WriteString(p.Text)
		reasoning.WriteString(p.Reasoning)
		r.IDs = append(r.IDs, p.IDs...)
		r.Logprobs = append(r.Logprobs, p.Logprobs...)
		if p.Finish != batch.Running {
			r.Finish, r.Usage, r.Timing = p.Finish, *p.Usage, *p.Timing
		}
	}
	r.Text, r.Reasoning = text.String(), reasoning.String()
	return r, nil
}

// specs says what the engine is asked for.
func (t Text) specs(r TextRequest) ([]batch.Spec, error) {
	spec := batch.Spec{
		Prompt: r.Prompt, Max: r.MaxTokens,
		Logprobs: r.Logprobs, TopLogprobs: r.TopLogprobs,
		PromptLogprobs: r.PromptLogprobs, OnlyPrompt: r.OnlyPrompt, NoCache: r.NoCache,
		Priority: r.Priority, Deadline: r.Deadline, Salt: r.Salt, Tenant: r.Tenant, Weight: r.Weight,
	}
	if r.MaxTokens < 0 {
		return nil, fmt.Errorf("%w: MaxTokens is %d", ErrInvalid, r.MaxTokens)
	}
	for id := range r.Sampling.Bias {
		if int(id) >= t.Tokenizer.Size() {
			return nil, fmt.Errorf("%w: bias for token %d, where the vocabulary has %d", ErrInvalid, id, t.Tokenizer.Size())
		}
	}
	if !r.IgnoreEnd {
		spec.Stop = t.Tokenizer.Stops()
	}
	specs := make([]batch.Spec, max(r.N, 1))
	for i := range specs {
		params := r.Sampling
		params.Seed = sampling.ChoiceSeed(params.Seed, i)
		sampler, err := sampling.New(params)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		specs[i] = spec
		specs[i].Sampler = sampler
		spec.PromptLogprobs = false // the first choice scores the prompt for all
	}
	return specs, nil
}

// result is a piece, or why there are no more of its choice.
type result struct {
	piece Piece
	err   error
}

// pull yields the pieces of n choices until all have ended or one has failed.
func pull(ctx context.Context, out *feed[result], n int, yield func(Piece, error) bool) {
	var buf []result
	for n > 0 {
		results, err := out.next(ctx, buf)
		if err != nil {
			yield(Piece{}, err)
			return
		}
		for _, r := range results {
			if !yield(r.piece, r.err) || r.err != nil {
				return
			}
			if r.piece.Finish != batch.Running {
				n--
			}
		}
		buf = results
	}
}
