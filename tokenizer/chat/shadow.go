package chat

import (
	"errors"
	"maps"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/ardanlabs/jinja"
)

// A shadow keeps apart whose text is whose while a template is rendered.
//
// Every control token of the vocabulary has an opener: its first rune that is
// no space, such as '<'. Before rendering, openers in what the caller gave
// (messages, tools, variables) are replaced, rune for rune, by private ones
// that occur nowhere else; in the result they show which control tokens the
// template wrote and which begin in the text of a user. A token cannot be put
// together of pieces either: whatever the template cuts out of a text, the
// openers stay marked.
//
// Templates also look into texts. Lengths, slices and trimming do not notice
// the replacement, and functions that compare (methods.go) compare what was
// given: splitting at "</think>" works as if nothing were hidden, and what is
// left over is still known to be the caller's.
type shadow struct {
	openers []rune
	first   rune // openers[i] is replaced by first+i; 0: nothing is hidden
}

// errPrivate is not worth a name: no text needs all of these 131,068 runes.
var errPrivate = errors.New("chat: the messages use up the private characters of Unicode")

const privateFirst, privateLast = 0xF0000, 0x10FFFD

// newShadow chooses runes for openers that none of the values uses, and whose
// use in the template is given in taken.
func newShadow(openers []rune, taken map[rune]bool, vars map[string]jinja.Value) (*shadow, error) {
	s := &shadow{openers: openers}
	used := maps.Collect(maps.All(taken))
	hide := false
	for _, v := range vars {
		eachString(v, func(text string) {
			hide = hide || strings.ContainsAny(text, string(openers))
			notePrivate(used, text)
		})
	}
	if !hide {
		return s, nil
	}
	for first, r := rune(privateFirst), rune(privateFirst); r <= privateLast; r++ {
		if used[r] || r&0xFFFF >= 0xFFFE { // the last two of a plane are no characters
			first = r + 1
		} else if int(r-first)+1 == len(openers) {
			s.first = first
			return s, nil
		}
	}
	return nil, errPrivate
}

func notePrivate(used map[rune]bool, text string) {
	for _, r := range text {
		if r >= privateFirst {
			used[r] = true
		}
	}
}

// hide replaces the openers in a text.
func (s *shadow) hide(text string) string {
	if s.first == 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		for i, o := range s.openers {
			if r == o {
				return s.first + rune(i)
			}
		}
		return r
	}, text)
}

// opener is what r stands for, if it stands for an opener.
func (s *shadow) opener(r rune) (rune, bool) {
	if i := int(r - s.first); s.first != 0 && 0 <= i && i < len(s.openers) {
		return s.openers[i], true
	}
	return 0, false
}

// revealed is a text as it was given, beside its hidden form.
type revealed struct {
	text   string
	hidden string
	marks  []mark
}

// mark is one replaced opener: where it is in the text and in the hidden form.
type mark struct{ text, hidden int }

func (s *shadow) reveal(hidden string) revealed {
	r := revealed{text: hidden, hidden: hidden}
	if s.first == 0 {
		return r
	}
	var b strings.Builder
	for i, c := range hidden {
		if o, ok := s.opener(c); ok {
			r.marks = append(r.marks, mark{b.Len(), i})
			b.WriteRune(o)
		} else {
			_, n := utf8.DecodeRuneInString(hidden[i:])
			b.WriteString(hidden[i : i+n])
		}
	}
	r.text = b.String()
	return r
}

// cut is text[i:j] in the hidden form.
func (r revealed) cut(i, j int) string { return r.hidden[r.at(i):r.at(j)] }

// at is the offset in the hidden form of one in the text.
func (r revealed) at(i int) int {
	n := sort.Search(len(r.marks), func(k int) bool { return r.marks[k].text >= i })
	if n == 0 {
		return i
	}
	m := r.marks[n-1]
	_, was := utf8.DecodeRuneInString(r.hidden[m.hidden:])
	_, is := utf8.DecodeRuneInString(r.text[m.text:])
	return m.hidden + was + i - m.text - is
}
