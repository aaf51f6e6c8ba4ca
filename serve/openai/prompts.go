package openai

import (
	"encoding/json"
	"fmt"
	"net/http"

	"example.com/minillm/serve/internal/wire"
)

// prompt is a text to go on with, given as such or as ids.
type prompt struct {
	text string
	ids  []int32 // nil: text is to be encoded
}

// readPrompts reads a field that is a text, an array of ids, or an array of at
// most n of either.
func (h *Handler) readPrompts(b *wire.Body, name string, n int) []prompt {
	if !b.Has(name) {
		b.Fail(http.StatusBadRequest, name, "is missing")
		return nil
	}
	raw := b.Take(name)
	all, err := h.parsePrompts(raw, n)
	if err != nil {
		b.Fail(http.StatusBadRequest, name, "%v", err)
	}
	return all
}

func (h *Handler) parsePrompts(raw json.RawMessage, n int) ([]prompt, error) {
	if raw[0] != '[' {
		p, err := h.parsePrompt(raw)
		return []prompt{p}, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	switch {
	case len(list) == 0:
		return nil, fmt.Errorf("must not be empty")
	case list[0][0] != '"' && list[0][0] != '[':
		p, err := h.parsePrompt(raw)
		return []prompt{p}, err
	case len(list) > n:
		return nil, fmt.Errorf("%d of them, at most %d", len(list), n)
	}
	all := make([]prompt, len(list))
	for i, one := range list {
		p, err := h.parsePrompt(one)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		all[i] = p
	}
	return all, nil
}

// parsePrompt reads a text or an array of ids, neither of them empty.
func (h *Handler) parsePrompt(raw json.RawMessage) (p prompt, err error) {
	switch raw[0] {
	case '"':
		err = json.Unmarshal(raw, &p.text)
	case '[':
		p.ids, err = wire.ParseIDs(raw, h.tok.Size())
	default:
		err = fmt.Errorf("want a text, an array of token ids, or an array of these")
	}
	if err == nil && p.text == "" && len(p.ids) == 0 {
		err = fmt.Errorf("must not be empty")
	}
	return p, err
}

// encode returns the ids of p.
func (h *Handler) encode(p prompt) []int32 {
	if p.ids != nil {
		return p.ids
	}
	return h.generator.Encode(p.text)
}

// spelled returns the text of p.
func (h *Handler) spelled(p prompt) string {
	if p.ids == nil {
		return p.text
	}
	return string([]rune(string(h.tok.Decode(nil, p.ids...)))) // whole characters
}
