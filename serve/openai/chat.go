package openai

import (
	"fmt"
	"net/http"
	"slices"

	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
	"example.com/minillm/tokenizer/chat"
)

func (h *Handler) chat(w http.ResponseWriter, r *http.Request) {
	q, err := read(h, w, r, h.chatRequest)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	requests, err := q.requests(h)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	f := &chatForm{header: newHeader("chatcmpl-", &q.settings), handler: h, s: &q.settings, begun: map[int]bool{}}
	h.answer(w, r, f, requests, &q.settings)
}

// chatRequest is the body of a chat.
type chatRequest struct {
	settings
	messages []chat.Message
	options  chat.Options
}

// chatRequest reads a body; what is wrong with it, the body notes.
func (h *Handler) chatRequest(b *wire.Body) *chatRequest {
	q := &chatRequest{settings: h.settings(b)}
	q.readMost(b)
	q.readLogprobs(b)
	q.readThinking(b)
	q.options.NoGenerationPrompt = !readGenerationPrompt(b)
	readTools(b)
	refuse(b, unsupportedInChats)
	q.messages = readMessages(b)
	return q
}

// readMost reads the most new tokens, which have an old and a new name.
func (q *chatRequest) readMost(b *wire.Body) {
	b.Either("max_tokens", "max_completion_tokens")
	b.Int("max_tokens", &q.MaxTokens, 1, 1<<31-1)
	b.Int("max_completion_tokens", &q.MaxTokens, 1, 1<<31-1)
}

func (q *chatRequest) readLogprobs(b *wire.Body) {
	b.Bool("logprobs", &q.Logprobs)
	b.Int("top_logprobs", &q.TopLogprobs, 0, maxLogprobs)
	if q.TopLogprobs > 0 && !q.Logprobs {
		b.Fail(http.StatusBadRequest, "top_logprobs", "only with logprobs")
	}
}

// readThinking reads whether a model that can think does so. It does not unless
// asked to: by name, by the variables of the template, or by an effort.
func (q *chatRequest) readThinking(b *wire.Body) {
	var effort string
	b.String("reasoning_effort", &effort)
	efforts := []string{"", "none", "minimal", "low", "medium", "high", "xhigh"}
	if !slices.Contains(efforts, effort) {
		b.Fail(http.StatusBadRequest, "reasoning_effort", "%s is none of %v", wire.Quote(effort), efforts[1:])
	}
	q.options.Thinking = effort != "" && effort != "none"
	b.Bool("enable_thinking", &q.options.Thinking)
	b.Value("chat_template_kwargs", "an object", &q.options.Variables)
	if _, ok := q.options.Variables["reasoning_effort"]; effort == "" || ok {
		return
	}
	if q.options.Variables == nil {
		q.options.Variables = map[string]any{}
	}
	q.options.Variables["reasoning_effort"] = effort
}

// readGenerationPrompt reads whether the prompt ends with the beginning of the
// assistant's answer.
func readGenerationPrompt(b *wire.Body) bool {
	add := true
	b.Bool("add_generation_prompt", &add)
	return add
}

// readTools refuses tools unless they are not to be called.
func readTools(b *wire.Body) {
	if b.Kind("tool_choice") == '"' {
		var choice string
		b.String("tool_choice", &choice)
		switch choice {
		case "none":
			b.Take("tools")
		case "auto":
		default:
			b.Fail(http.StatusBadRequest, "tool_choice", "%s is not supported, only none is", wire.Quote(choice))
		}
	}
	b.Refuse("tool_choice", `"none"`)
	b.Refuse("tools", "[]")
}

// requests renders the conversation.
func (q *chatRequest) requests(h *Handler) ([]serve.TextRequest, error) {
	ids, err := h.render(q.messages, q.options)
	if err != nil {
		return nil, err
	}
	if t := h.o.Template; t.Tags() != (chat.Tags{}) {
		q.Split = func() serve.Splitter { return t.Splitter(q.options) }
		q.Visible = t.TagTokens()
	}
	return q.prompts(ids), nil
}

// render returns the ids of a conversation. Whatever a template cannot make of
// it is the conversation's fault: the template itself was checked before.
func (h *Handler) render(messages []chat.Message, o chat.Options) ([]int32, error) {
	if h.o.Template == nil {
		return nil, chat.ErrNoTemplate
	}
	ids, err := h.o.Template.Encode(messages, o)
	if err == nil {
		return ids, nil
	}
	if e := wire.From(err); e.Status < 500 {
		return nil, err
	}
	return nil, wire.Invalid(http.StatusBadRequest, "messages", fmt.Sprint(err))
}
