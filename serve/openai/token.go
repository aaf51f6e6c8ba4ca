package openai

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/minillm/sampling"
)

// token returns a token as chats tell it.
func (h *Handler) token(l sampling.Logprob) token {
	t := token{Token: h.spell(l.ID), Logprob: l.Logprob}
	for _, b := range h.tok.Decode(nil, l.ID) {
		t.Bytes = append(t.Bytes, int(b))
	}
	return t
}

// spell returns the text of one token, control tokens included. Bytes that are
// only part of a character are written as escapes.
func (h *Handler) spell(id int32) string {
	piece := h.tok.Piece(id)
	if utf8.Valid(piece) {
		return string(piece)
	}
	var s strings.Builder
	for _, b := range piece {
		fmt.Fprintf(&s, `\x%02x`, b)
	}
	return s.String()
}
