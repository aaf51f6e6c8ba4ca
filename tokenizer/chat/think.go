package chat

import "strings"

// Tags are what a model writes before and after its reasoning.
type Tags struct{ Open, Close string }

// knownTags are those in use. A template that mentions how reasoning ends is
// that of a model which thinks.
var knownTags = []Tags{
	{"<think>", "</think>"},
	{"[THINK]", "[/THINK]"},
	{"<seed:think>", "</seed:think>"},
	{"<|START_THINKING|>", "<|END_THINKING|>"},
	{"<|inner_prefix|>", "<|inner_suffix|>"},
}

func tagsOf(template string) Tags {
	for _, tags := range knownTags {
		if strings.Contains(template, tags.Close) {
			return tags
		}
	}
	return Tags{}
}

// Tags returns the tags of the model's reasoning; they are empty if the
// template knows of none.
func (t *Template) Tags() Tags { return t.think }

// TagTokens returns those tags that are control tokens. They have no text in
// Decode; a Splitter needs their Piece.
func (t *Template) TagTokens() []int32 {
	var ids []int32
	for _, tag := range []string{t.think.Open, t.think.Close} {
		if id := t.tok.EncodeSpecial(nil, tag); len(id) == 1 && len(t.tok.Decode(nil, id...)) == 0 {
			ids = append(ids, id...)
		}
	}
	return ids
}

// Splitter tells reasoning from answer in a reply that comes in pieces. What
// it returns, joined, does not depend on where the reply is cut.
//
// Reasoning stands at the beginning of a reply: tags in an answer are text.
// The tags and the newlines after them belong to neither part. No more is held
// back than what may be the beginning of a tag.
//
// The zero value takes everything for the answer. A Splitter is for one reply
// and one goroutine.
type Splitter struct {
	tags  Tags
	state splitState
	held  string // the beginning of a tag, perhaps
	bare  bool   // nothing but newlines has come since a tag
}

type splitState uint8

const (
	answering splitState = iota
	beginning            // an opening tag may come
	reasoning
)

// Splitter returns one for a reply to a prompt that was made with o. Some
// templates write the opening tag themselves, at the end of the prompt.
//
// Tags that are control tokens have no text in Decode: for such a token its
// Piece has to be pushed.
func (t *Template) Splitter(o Options) *Splitter {
	s := &Splitter{tags: t.think}
	if t.think == (Tags{}) {
		return s
	}
	s.state = beginning
	prompt, err := t.Render([]Message{{Role: "user", Content: "x"}}, o)
	if err == nil && strings.HasSuffix(strings.TrimRightFunc(prompt, isSpace), t.think.Open) {
		s.state, s.bare = reasoning, true
	}
	return s
}

// Push takes the next piece of the reply and returns what is certain by now.
func (s *Splitter) Push(piece string) (thought, answer string) {
	text := s.held + piece
	s.held = ""
	if s.state == beginning {
		answer, text = s.begin(text)
	}
	if s.state == reasoning {
		thought, text = s.reason(text)
	}
	if s.state == answering {
		answer += s.stripped(text)
	}
	return thought, answer
}

// Flush returns what was held back when the reply is at its end.
func (s *Splitter) Flush() (thought, answer string) {
	rest := s.held
	s.held = ""
	if s.state == reasoning {
		return rest, ""
	}
	return "", rest
}

// begin looks for the opening tag. Space before it passes as answer, since
// waiting for what follows could take long.
func (s *Splitter) begin(text string) (answer, rest string) {
	rest = strings.TrimLeftFunc(text, isSpace)
	answer = text[:len(text)-len(rest)]
	switch after, opened := strings.CutPrefix(rest, s.tags.Open); {
	case opened:
		s.state, s.bare = reasoning, true
		return answer, after
	case strings.HasPrefix(s.tags.Open, rest):
		s.held = rest
		return answer, ""
	}
	s.state = answering
	return answer, rest
}

// reason looks for the closing tag.
func (s *Splitter) reason(text string) (thought, rest string) {
	thought, rest, closed := strings.Cut(text, s.tags.Close)
	if closed {
		thought = s.stripped(thought)
		s.state, s.bare = answering, true
		return thought, rest
	}
	n := len(text) - overlap(text, s.tags.Close)
	s.held = text[n:]
	return s.stripped(text[:n]), ""
}

// stripped is text without the newlines that follow a tag.
func (s *Splitter) stripped(text string) string {
	if s.bare {
		text = strings.TrimLeft(text, "\r\n")
		s.bare = text == ""
	}
	return text
}

// overlap is the length of the longest end of text that tag begins with.
func overlap(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}
