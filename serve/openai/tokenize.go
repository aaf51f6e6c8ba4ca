package openai

import (
	"net/http"

	"example.com/minillm/serve/internal/wire"
	"example.com/minillm/tokenizer/chat"
)

// tokenized is the answer of /tokenize.
type tokenized struct {
	Count   int      `json:"count"`
	Context int      `json:"max_model_len,omitempty"`
	Tokens  []int32  `json:"tokens"`
	Strings []string `json:"token_strs,omitempty"`
}

// tokenize answers with the ids of a text, or of a conversation.
func (h *Handler) tokenize(w http.ResponseWriter, r *http.Request) {
	q, err := read(h, w, r, h.tokenizeRequest)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	ids, err := q.ids(h)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	answer := tokenized{Count: len(ids), Context: h.o.Context, Tokens: ids}
	if q.strings {
		for _, id := range ids {
			answer.Strings = append(answer.Strings, h.spell(id))
		}
	}
	wire.WriteJSON(w, http.StatusOK, answer)
}

type tokenizeRequest struct {
	text     string
	begin    bool           // with BOS where the model wants it
	messages []chat.Message // instead of text
	options  chat.Options
	strings  bool
}

// tokenizeRequest reads a body; what is wrong with it, the body notes.
func (h *Handler) tokenizeRequest(b *wire.Body) *tokenizeRequest {
	q := &tokenizeRequest{begin: true}
	h.readModel(b)
	b.Bool("return_token_strs", &q.strings)
	if b.Has("messages") {
		q.options.NoGenerationPrompt = !readGenerationPrompt(b)
		b.Bool("enable_thinking", &q.options.Thinking)
		b.Value("chat_template_kwargs", "an object", &q.options.Variables)
		readTools(b)
		refuse(b, unsupportedInChats)
		q.messages = readMessages(b)
		return q
	}
	if !b.Has("prompt") {
		b.Fail(http.StatusBadRequest, "prompt", "is missing, or messages instead of it")
	}
	b.String("prompt", &q.text)
	b.Bool("add_special_tokens", &q.begin)
	return q
}

func (q *tokenizeRequest) ids(h *Handler) ([]int32, error) {
	switch {
	case q.messages != nil:
		return h.render(q.messages, q.options)
	case q.begin:
		return append([]int32{}, h.generator.Encode(q.text)...), nil
	}
	return h.tok.Encode([]int32{}, q.text), nil
}

// detokenize answers with the text of ids.
func (h *Handler) detokenize(w http.ResponseWriter, r *http.Request) {
	ids, err := read(h, w, r, h.detokenizeRequest)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	wire.WriteJSON(w, http.StatusOK, struct {
		Prompt string `json:"prompt"`
	}{h.spelled(prompt{ids: ids})})
}

// detokenizeRequest reads a body; what is wrong with it, the body notes.
func (h *Handler) detokenizeRequest(b *wire.Body) (ids []int32) {
	h.readModel(b)
	if !b.Has("tokens") {
		b.Fail(http.StatusBadRequest, "tokens", "is missing")
	}
	b.IDs("tokens", &ids, h.tok.Size())
	return ids
}
