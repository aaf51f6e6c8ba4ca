package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"example.com/minillm/sampling"
	"example.com/minillm/serve"
)

// Generate continues a raw text.
func (m *Model) Generate(ctx context.Context, prompt string, r serve.Request) (*serve.Reply, error) {
	return serve.Collect(m.Stream(ctx, prompt, r))
}

// Stream is Generate with the text as it comes; the request is sent when it is
// ranged over. Leaving the loop closes the connection, by which the server
// knows that nobody wants the rest. A reader that takes nothing for long may be
// given up by the server.
func (m *Model) Stream(ctx context.Context, prompt string, r serve.Request) iter.Seq2[serve.Piece, error] {
	p, err := m.completion(prompt, &r)
	if err != nil {
		return failed(err)
	}
	open := func(ctx context.Context) *ssestream.Stream[openai.Completion] {
		return m.completions.NewStreaming(ctx, p)
	}
	return pieces(ctx, m, "completions", r.Deadline, open, readCompletion)
}

// Chat answers a conversation, which the server renders with its template.
func (m *Model) Chat(ctx context.Context, messages []serve.Message, r serve.Request) (*serve.Reply, error) {
	return serve.Collect(m.ChatStream(ctx, messages, r))
}

// ChatStream is Chat with the text as it comes, like Stream.
func (m *Model) ChatStream(ctx context.Context, messages []serve.Message, r serve.Request) iter.Seq2[serve.Piece, error] {
	p, err := m.chat(messages, &r)
	if err != nil {
		return failed(err)
	}
	open := func(ctx context.Context) *ssestream.Stream[openai.ChatCompletionChunk] {
		return m.chats.NewStreaming(ctx, p)
	}
	return pieces(ctx, m, "chat/completions", r.Deadline, open, readChat)
}

func failed(err error) iter.Seq2[serve.Piece, error] {
	return func(yield func(serve.Piece, error) bool) { yield(serve.Piece{}, err) }
}

func readCompletion(c openai.Completion) event {
	e := event{usage: usage(c.JSON.Usage, &c.Usage)}
	if len(c.Choices) > 0 {
		choice := &c.Choices[0]
		e.text, e.finish = choice.Text, string(choice.FinishReason)
		e.logprobs = listed(&choice.Logprobs)
	}
	return e
}

func readChat(c openai.ChatCompletionChunk) event {
	e := event{usage: usage(c.JSON.Usage, &c.Usage)}
	if len(c.Choices) > 0 {
		choice := &c.Choices[0]
		e.text, e.finish = choice.Delta.Content, choice.FinishReason
		e.reasoning = reasoning(choice.Delta.JSON.ExtraFields)
		e.logprobs = told(choice.Logprobs.Content)
	}
	return e
}

func usage(field respjson.Field, u *openai.CompletionUsage) *serve.Usage {
	if !field.Valid() {
		return nil
	}
	return &serve.Usage{PromptTokens: int(u.PromptTokens), CachedTokens: int(u.PromptTokensDetails.CachedTokens), CompletionTokens: int(u.CompletionTokens)}
}

// reasoning is what servers put beside the content, under one of two names.
func reasoning(extra map[string]respjson.Field) (text string) {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		if f, ok := extra[name]; ok && text == "" {
			json.Unmarshal([]byte(f.Raw()), &text) // null leaves it empty
		}
	}
	return text
}

// unnamed is the id of a token whose text alone is known.
const unnamed = -1

func logprob(x float64) sampling.Logprob {
	return sampling.Logprob{ID: unnamed, Logprob: float32(x)}
}

// told are log-probabilities as chats have them.
func told(tokens []openai.ChatCompletionTokenLogprob) (all []serve.Logprob) {
	for _, t := range tokens {
		l := serve.Logprob{Logprob: logprob(t.Logprob)}
		for _, top := range t.TopLogprobs {
			l.Top = append(l.Top, logprob(top.Logprob))
		}
		all = append(all, l)
	}
	return all
}

// listed are log-probabilities as completions have them: alternatives as an
// object without order. llama-server has those of chats here, too.
func listed(l *openai.CompletionChoiceLogprobs) (all []serve.Logprob) {
	if content, ok := l.JSON.ExtraFields["content"]; ok {
		var tokens []openai.ChatCompletionTokenLogprob
		json.Unmarshal([]byte(content.Raw()), &tokens) // what cannot be read is left out
		return told(tokens)
	}
	for i, x := range l.TokenLogprobs {
		p := serve.Logprob{Logprob: logprob(x)}
		if i < len(l.TopLogprobs) {
			for _, x := range l.TopLogprobs[i] {
				p.Top = append(p.Top, logprob(x))
			}
			slices.SortFunc(p.Top, func(a, b sampling.Logprob) int { return cmp.Compare(b.Logprob, a.Logprob) })
		}
		all = append(all, p)
	}
	return all
}
