package openai

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"example.com/minillm/sampling"
	"example.com/minillm/serve"
	"example.com/minillm/tokenizer"
)

// completionForm words the answer of a completion.
type completionForm struct {
	header
	handler *Handler
	q       *completionRequest
	places  map[int]*place // of the choices of which something was worded
}

// place is how far the wording of a choice has come.
type place struct {
	decode *tokenizer.Stream
	offset int // characters of the tokens that were worded
}

// completionReply is a body, or an event: both have the same form.
type completionReply struct {
	header
	Choices []completionChoice `json:"choices"`
	Usage   *usage             `json:"usage,omitempty"`
}

type completionChoice struct {
	Text     string              `json:"text"`
	Index    int                 `json:"index"`
	Logprobs *completionLogprobs `json:"logprobs"`
	Finish   *string             `json:"finish_reason"`
}

func (f *completionForm) whole(choices []choice, u usage) any {
	reply := completionReply{header: f.as("text_completion"), Usage: &u}
	for i := range len(f.q.texts) {
		for j, c := range best(choices[i*f.q.best:][:f.q.best], f.q.N) {
			index := i*f.q.N + j
			reply.Choices = append(reply.Choices, completionChoice{
				Text:     f.echo(i) + c.text.String(),
				Index:    index,
				Logprobs: f.logprobs(index, c.prompt, c.logprobs),
				Finish:   &c.finish,
			})
		}
	}
	return reply
}

// best returns the n choices whose tokens were the most probable on average,
// all of them in their order if there are no more.
func best(choices []choice, n int) []*choice {
	all := make([]*choice, len(choices))
	for i := range choices {
		all[i] = &choices[i]
	}
	if len(all) > n {
		slices.SortStableFunc(all, func(a, b *choice) int { return cmp.Compare(b.mean(), a.mean()) })
	}
	return all[:n]
}

// mean is the average log-probability of the tokens of c.
func (c *choice) mean() float64 {
	sum := 0.
	for _, l := range c.logprobs {
		sum += float64(l.Logprob.Logprob)
	}
	return sum / float64(max(1, len(c.logprobs)))
}

// echo is the text before what is generated for prompt i.
func (f *completionForm) echo(i int) string {
	if !f.q.echo {
		return ""
	}
	return f.handler.spelled(f.q.texts[i])
}

func (f *completionForm) chunk(p serve.Piece) any {
	c := completionChoice{Text: p.Text, Index: p.Choice, Finish: finishOf(&p)}
	if _, begun := f.places[p.Choice]; !begun {
		c.Text = f.echo(p.Choice/f.q.N) + c.Text
	}
	c.Logprobs = f.logprobs(p.Choice, p.Prompt, p.Logprobs)
	return completionReply{header: f.as("text_completion"), Choices: []completionChoice{c}}
}

func (f *completionForm) last(u usage) any {
	return completionReply{header: f.as("text_completion"), Choices: []completionChoice{}, Usage: &u}
}

// completionLogprobs are those of some tokens, in columns.
type completionLogprobs struct {
	Tokens   []string             `json:"tokens"`
	Logprobs []*float32           `json:"token_logprobs"` // null where nothing predicts the token
	Top      []map[string]float32 `json:"top_logprobs"`
	Offsets  []int                `json:"text_offset"` // in characters
}

// logprobs words what comes next of choice i: at its beginning the tokens of
// the prompt, if they were scored.
func (f *completionForm) logprobs(i int, prompt, output []serve.Logprob) *completionLogprobs {
	at := f.place(i)
	if !f.q.asked {
		return nil
	}
	l := &completionLogprobs{}
	for n, x := range prompt {
		f.add(l, at, &x, n > 0)
	}
	for _, x := range output {
		f.add(l, at, &x, true)
	}
	if len(l.Tokens) == 0 {
		return nil
	}
	return l
}

// place returns that of choice i. Its text begins after the prompt, or with it.
func (f *completionForm) place(i int) *place {
	if f.places[i] == nil {
		before := f.q.ids[i/f.q.N]
		if f.q.echo {
			before = nil
		}
		f.places[i] = &place{decode: tokenizer.NewStream(f.handler.tok, before...)}
	}
	return f.places[i]
}

// add appends a token to l. The first one of a prompt is not predicted.
func (f *completionForm) add(l *completionLogprobs, at *place, x *serve.Logprob, predicted bool) {
	l.Tokens = append(l.Tokens, f.handler.spell(x.ID))
	l.Offsets = append(l.Offsets, at.offset)
	at.offset += utf8.RuneCountInString(at.decode.Push(x.ID))
	if !predicted {
		l.Logprobs, l.Top = append(l.Logprobs, nil), append(l.Top, nil)
		return
	}
	l.Logprobs = append(l.Logprobs, &x.Logprob.Logprob)
	l.Top = append(l.Top, f.top(x))
}

// top is the chosen token and its alternatives by their text. Of several that
// are spelled alike the most probable counts.
func (f *completionForm) top(x *serve.Logprob) map[string]float32 {
	top := map[string]float32{}
	for _, t := range append([]sampling.Logprob{x.Logprob}, x.Top...) {
		text := f.handler.spell(t.ID)
		if l, ok := top[text]; !ok || t.Logprob > l {
			top[text] = t.Logprob
		}
	}
	return top
}
