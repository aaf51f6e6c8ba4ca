package chat

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/minillm/tokenizer"
)

// control knows the control tokens of a vocabulary by their spelling.
type control struct {
	spelled map[string]bool
	openers []rune  // the first rune of each that is no space
	shapes  []shape // where openers are in them
}

// shape is an opener at an offset of a token of some length.
type shape struct{ offset, length int }

func newControl(t tokenizer.Tokenizer) control {
	c := control{spelled: map[string]bool{}}
	var text []byte
	for id := range int32(t.Size()) {
		// Control tokens have no text, but for a few that are shown; to ask
		// isControl of every id would take a second.
		s := t.Piece(id)
		text = t.Decode(text[:0], id)
		if (len(text) == 0 || isTag(s)) && isControl(t, id, string(s)) {
			c.spelled[string(s)] = true
			if o := opener(s); !slices.Contains(c.openers, o) {
				c.openers = append(c.openers, o)
			}
		}
	}
	shapes := map[shape]bool{}
	for s := range c.spelled {
		for i, r := range s {
			if slices.Contains(c.openers, r) {
				shapes[shape{i, len(s)}] = true
			}
		}
	}
	c.shapes = slices.SortedFunc(maps.Keys(shapes), func(a, b shape) int {
		return cmp.Or(b.length-a.length, a.offset-b.offset)
	})
	return c
}

func isTag(s []byte) bool {
	n := len(s)
	return n > 2 && (s[0] == '<' && s[n-1] == '>' || s[0] == '[' && s[n-1] == ']')
}

// isControl reports whether s means id in a template and something else in a
// text.
func isControl(t tokenizer.Tokenizer, id int32, s string) bool {
	only := []int32{id}
	return strings.TrimSpace(s) != "" &&
		slices.Equal(t.EncodeSpecial(nil, s), only) && !slices.Equal(t.Encode(nil, s), only)
}

func opener(s []byte) rune {
	r, _ := utf8.DecodeRune(bytes.TrimLeftFunc(s, unicode.IsSpace))
	return r
}

// covering finds a control token spelled in text[from:] that covers the opener
// at offset at.
func (c *control) covering(text string, from, at int) (lo, hi int, ok bool) {
	for _, s := range c.shapes {
		lo, hi = at-s.offset, at-s.offset+s.length
		if lo >= from && hi <= len(text) && c.spelled[text[lo:hi]] {
			return lo, hi, true
		}
	}
	return 0, 0, false
}

// encode appends the ids of a rendered text. A control token that covers an
// opener of the caller's is encoded as text, on its own; the rest is as the
// template wants it.
func (t *Template) encode(ids []int32, r revealed) []int32 {
	done := 0
	for _, m := range r.marks {
		if m.text < done {
			continue
		}
		if lo, hi, ok := t.control.covering(r.text, done, m.text); ok {
			ids = t.continued(ids, r.text[done:lo], done > 0, t.tok.EncodeSpecial)
			ids = t.continued(ids, r.text[lo:hi], lo > 0, t.tok.Encode)
			done = hi
		}
	}
	return t.continued(ids, r.text[done:], done > 0, t.tok.EncodeSpecial)
}

// continued appends the ids of s. Vocabularies of the SentencePiece kind put a
// space before every text they are given; where s goes on a text it is encoded
// behind a character that is taken off again.
func (t *Template) continued(ids []int32, s string, goesOn bool, encode func([]int32, string) []int32) []int32 {
	if s == "" {
		return ids
	}
	all := encode(ids, s)
	if !goesOn || t.begins(all[len(ids):], s) {
		return all
	}
	for _, guard := range []string{"\n", "\x01", "x"} {
		head := t.tok.Encode(nil, guard)
		both := encode(nil, guard+s)
		if len(both) > len(head) && slices.Equal(both[:len(head)], head) && t.begins(both[len(head):], s) {
			return append(ids, both[len(head):]...)
		}
	}
	return all
}

// begins reports whether the text of ids, up to the first control token, is
// what s begins with.
func (t *Template) begins(ids []int32, s string) bool {
	for _, id := range ids {
		piece := string(t.tok.Piece(id))
		if t.control.spelled[piece] {
			return true
		}
		if !strings.HasPrefix(s, piece) {
			return false
		}
		s = s[len(piece):]
	}
	return true
}
