package serve

import (
	"context"
	"slices"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/tokenizer"
)

// assembler makes pieces of text from the events of one choice.
type assembler struct {
	choice  int
	stream  *Stream
	tok     tokenizer.Tokenizer
	decode  *tokenizer.Stream
	split   Splitter
	stop    stopper
	visible []int32 // control tokens whose spelling is text
	tokens  int     // that count as the completion

	// Since the last piece.
	ids    []int32
	scores []Logprob
	prompt []Logprob
}

func (t Text) assembler(choice int, s *Stream, r *TextRequest) *assembler {
	a := &assembler{
		choice: choice, stream: s,
		tok:     t.Tokenizer,
		decode:  tokenizer.NewStream(t.Tokenizer, r.Prompt...),
		split:   answerOnly{},
		stop:    stopper{stops: slices.Clone(r.Stop), include: r.IncludeStop},
		visible: r.Visible,
	}
	if r.Split != nil {
		a.split = r.Split()
	}
	return a
}

// answerOnly is the Splitter of a model that does not think.
type answerOnly struct{}

func (answerOnly) Push(text string) (reasoning, answer string) { return "", text }
func (answerOnly) Flush() (reasoning, answer string)           { return "", "" }

// assemble reads the events of stream s and puts pieces into out. It stops the
// request when a stop string is complete.
// A panic in what it calls costs this request alone.
func (t Text) assemble(ctx context.Context, choice int, s *Stream, r *TextRequest, out *feed[result]) {
	defer func() {
		if p := recover(); p != nil {
			failure := recovered("text", p)
			t.Engine.panicked(failure)
			out.put(result{Piece{Choice: choice}, failure})
		}
	}()
	a := t.assembler(choice, s, r)
	for e, err := range s.Events(ctx) {
		if err != nil {
			out.put(result{Piece{Choice: choice}, err})
			return
		}
		if p, ok := a.next(e); ok {
			out.put(result{piece: p})
			if p.Finish != batch.Running {
				s.Stop() // it runs on where a stop string is complete
				return
			}
		}
	}
}

// next takes one event. It returns a piece if there is something to send, or
// if the choice has ended.
func (a *assembler) next(e Event) (Piece, bool) {
	reasoning, text := a.split.Push(a.take(e))
	out, hit := a.stop.push(text)
	finish := e.Finish
	if finish != batch.Running && !hit {
		last, rest := a.split.Flush()
		reasoning += last
		rest, hit = a.stop.push(rest)
		out += rest
	}
	switch {
	case hit:
		finish = batch.Stop
	case finish != batch.Running:
		out += a.stop.flush()
	}
	if out == "" && reasoning == "" && a.prompt == nil && finish == batch.Running {
		return Piece{}, false
	}
	p := Piece{Choice: a.choice, Text: out, Reasoning: reasoning, IDs: a.ids, Logprobs: a.scores, Prompt: a.prompt, Finish: finish}
	a.ids, a.scores, a.prompt = nil, nil, nil
	if finish != batch.Running {
		p.Usage, p.Timing = a.totals(e)
	}
	return p, true
}

// take returns the whole characters that e completes; at the end, also what an
// unfinished one left. End tokens have no text.
func (a *assembler) take(e Event) (text string) {
	if e.Prompt != nil {
		a.prompt = e.Prompt
	}
	if e.Token >= 0 {
		a.tokens++
		a.ids = append(a.ids, e.Token)
		if e.Logprob != nil {
			a.scores = append(a.scores, *e.Logprob)
		}
		text = a.text(e.Token)
	}
	if e.Finish != batch.Running {
		text += a.decode.Flush()
	}
	return text
}

func (a *assembler) text(id int32) string {
	switch {
	case slices.Contains(a.tok.Stops(), id):
		return ""
	case slices.Contains(a.visible, id):
		return a.decode.Flush() + string(a.tok.Piece(id))
	}
	return a.decode.Push(id)
}

// totals returns usage and timing up to event e, with which the text ends. The
// engine may have computed a token or two more; those do not count.
func (a *assembler) totals(e Event) (*Usage, *Timing) {
	if e.Usage != nil {
		return e.Usage, e.Timing
	}
	seq := a.stream.seq
	u := Usage{PromptTokens: seq.Prompt(), CachedTokens: seq.Cached(), CompletionTokens: a.tokens}
	return &u, a.stream.timing(time.Now())
}
