package openai

import (
	"crypto/rand"
	"time"

	"example.com/minillm/serve"
)

// header is how every body and every event begins.
type header struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Model   string `json:"model"`
}

func newHeader(prefix string, s *settings) header {
	return header{ID: prefix + rand.Text(), Created: time.Now().Unix(), Model: s.model}
}

// as returns the header of an object.
func (h header) as(object string) header {
	h.Object = object
	return h
}

// chatForm words the answer of a chat.
type chatForm struct {
	header
	handler *Handler
	s       *settings
	begun   map[int]bool // choices of which a chunk was sent
}

type chatReply struct {
	header
	Choices []chatChoice `json:"choices"`
	Usage   usage        `json:"usage"`
}

type chatChoice struct {
	Index    int           `json:"index"`
	Message  message       `json:"message"`
	Logprobs *chatLogprobs `json:"logprobs"`
	Finish   string        `json:"finish_reason"`
}

// message is an assistant's, whole; or what is new of it, where what is not is
// left out.
type message struct {
	Role      string  `json:"role,omitempty"`
	Content   *string `json:"content,omitempty"`
	Reasoning string  `json:"reasoning_content,omitempty"`
}

func (f *chatForm) whole(choices []choice, u usage) any {
	reply := chatReply{header: f.as("chat.completion"), Usage: u}
	for i := range choices {
		c := &choices[i]
		text := c.text.String()
		reply.Choices = append(reply.Choices, chatChoice{
			Index:    i,
			Message:  message{"assistant", &text, c.reasoning.String()},
			Logprobs: f.logprobs(c.logprobs),
			Finish:   c.finish,
		})
	}
	return reply
}

type chatChunk struct {
	header
	Choices []chatDelta `json:"choices"`
	Usage   *usage      `json:"usage,omitempty"`
}

type chatDelta struct {
	Index    int           `json:"index"`
	Delta    message       `json:"delta"`
	Logprobs *chatLogprobs `json:"logprobs"`
	Finish   *string       `json:"finish_reason"`
}

// chunk words a piece. The first one of a choice has the role.
func (f *chatForm) chunk(p serve.Piece) any {
	d := chatDelta{Index: p.Choice, Logprobs: f.logprobs(p.Logprobs), Finish: finishOf(&p)}
	d.Delta.Reasoning = p.Reasoning
	first := !f.begun[p.Choice]
	if first {
		f.begun[p.Choice] = true
		d.Delta.Role = "assistant"
	}
	if p.Text != "" || first {
		d.Delta.Content = &p.Text
	}
	return chatChunk{header: f.as("chat.completion.chunk"), Choices: []chatDelta{d}}
}

func (f *chatForm) last(u usage) any {
	return chatChunk{header: f.as("chat.completion.chunk"), Choices: []chatDelta{}, Usage: &u}
}

// finishOf is the reason in a choice's last chunk, nil before.
func finishOf(p *serve.Piece) *string {
	if p.Usage == nil {
		return nil
	}
	why := reason(p)
	return &why
}

// chatLogprobs are the log-probabilities of some tokens.
type chatLogprobs struct {
	Content []chatLogprob `json:"content"`
}

type chatLogprob struct {
	token
	Top []token `json:"top_logprobs"`
}

// token is a token with its log-probability. Bytes are those in the text: the
// tokens of a character have no text alone, and control tokens have no bytes.
type token struct {
	Token   string  `json:"token"`
	Logprob float32 `json:"logprob"`
	Bytes   []int   `json:"bytes"`
}

func (f *chatForm) logprobs(all []serve.Logprob) *chatLogprobs {
	if !f.s.Logprobs || len(all) == 0 {
		return nil
	}
	l := &chatLogprobs{}
	for _, x := range all {
		c := chatLogprob{token: f.handler.token(x.Logprob), Top: []token{}}
		for _, t := range x.Top {
			c.Top = append(c.Top, f.handler.token(t))
		}
		l.Content = append(l.Content, c)
	}
	return l
}
