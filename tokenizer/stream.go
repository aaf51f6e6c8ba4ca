package tokenizer

import "unicode/utf8"

// Stream decodes ids one at a time into whole characters: a character whose
// bytes are spread over several ids comes with the last of them. It holds back
// three bytes at most. The strings it returns, joined, are string([]rune(s)) of
// the text s that [Tokenizer.Decode] makes of the same ids: bytes that are in
// no character come out as U+FFFD, one for each.
//
// A Stream belongs to one goroutine.
type Stream struct {
	t      Tokenizer
	ids    []int32 // the last one or none, and room for one more
	buf    []byte
	held   []byte // the beginning of a character
	before int    // bytes of buf that the last id alone decodes to
}

// NewStream returns a stream that decodes a text from its beginning, or, if it
// is given the ids before (a prompt, say; the last one is enough), what
// continues them. It makes a difference to vocabularies that put a dummy space
// before a text: at a beginning it is left out, in a continuation a space is a space.
func NewStream(t Tokenizer, before ...int32) *Stream {
	s := &Stream{t: t, ids: make([]int32, 0, 2)}
	if n := len(before); n > 0 {
		s.advance(before[n-1])
	}
	return s
}

func (s *Stream) advance(id int32) {
	s.ids = append(s.ids[:0], id)
	s.buf = s.t.Decode(s.buf[:0], id)
	s.before = len(s.buf)
}

// Push returns the text that has become whole with id, which may be none.
func (s *Stream) Push(id int32) string {
	s.ids = append(s.ids, id)
	s.buf = s.t.Decode(s.buf[:0], s.ids...)
	s.held = append(s.held, s.buf[min(s.before, len(s.buf)):]...)
	s.advance(id)
	n := whole(s.held)
	text := toValid(s.held[:n])
	s.held = append(s.held[:0], s.held[n:]...)
	return text
}

// Flush ends the text: it returns what was held back, a U+FFFD for each byte.
// The stream then continues after the last id.
func (s *Stream) Flush() string {
	text := toValid(s.held)
	s.held = s.held[:0]
	return text
}

// whole returns how much of b is in whole characters or can not become part of one.
func whole(b []byte) int {
	for n := max(0, len(b)-utf8.UTFMax+1); n < len(b); n++ {
		if utf8.RuneStart(b[n]) && !utf8.FullRune(b[n:]) {
			return n
		}
	}
	return len(b)
}

func toValid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string([]rune(string(b)))
}
