package chat

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// A segment is a stretch of a template: text, or a tag as its tokens.
// Comments and raw blocks are gone, whitespace control has been applied.
type segment struct {
	kind   segmentKind
	text   string  // of inText
	tokens []token // of inOutput and inStatement
	line   int     // where it begins, from 1
}

type segmentKind uint8

const (
	inText      segmentKind = iota
	inOutput                // {{ … }}
	inStatement             // {% … %}
)

// scanner cuts a template as Jinja does with trim_blocks and lstrip_blocks on,
// which is how chat templates are written to be read.
type scanner struct {
	src  string
	pos  int
	bol  bool // what follows begins a line, as far as lstrip_blocks goes
	segs []segment
}

var (
	rawBegin = regexp.MustCompile(`^\s*raw\s*(-?)%\}`)
	rawEnd   = regexp.MustCompile(`\{%([-+]?)\s*endraw\s*([-+]?)%\}`)
	newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")
)

func scan(template string) ([]segment, error) {
	s := &scanner{src: strings.TrimSuffix(newlines.Replace(template), "\n"), bol: true}
	for s.pos < len(s.src) {
		start := s.pos
		if err := s.next(); err != nil {
			return nil, fmt.Errorf("line %d: %w", s.line(max(start, s.pos)), err)
		}
	}
	return s.segs, nil
}

// next takes the text up to a tag, and the tag.
func (s *scanner) next() error {
	rest := s.src[s.pos:]
	at := opening(rest)
	if at == len(rest) {
		s.text(rest)
		s.pos = len(s.src)
		return nil
	}
	brace := rest[at+1]
	sign := signAt(rest, at+2)
	s.text(trimBefore(rest[:at], sign, brace != '{', s.bol))
	s.pos += at + 2
	if sign != 0 {
		s.pos++
	}
	switch brace {
	case '#':
		return s.comment()
	case '{':
		return s.tag(inOutput, "}}")
	}
	if m := rawBegin.FindStringSubmatch(s.src[s.pos:]); m != nil {
		s.pos += len(m[0])
		return s.raw(m[1] == "-")
	}
	return s.tag(inStatement, "%}")
}

// opening is the index of the first tag in text, or its length.
func opening(text string) int {
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '{' && strings.IndexByte("{%#", text[i+1]) >= 0 {
			return i
		}
	}
	return len(text)
}

// signAt is the '-' or '+' at text[i], or 0.
func signAt(text string, i int) byte {
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		return text[i]
	}
	return 0
}

// trimBefore is the text before a tag with its whitespace control applied.
// block tells statements and comments, which lose their indentation.
func trimBefore(text string, sign byte, block, bol bool) string {
	if sign == '-' {
		return strings.TrimRightFunc(text, isSpace)
	}
	if sign == '+' || !block {
		return text
	}
	line := strings.LastIndexByte(text, '\n') + 1
	if (line > 0 || bol) && strings.TrimLeftFunc(text[line:], isSpace) == "" {
		return text[:line]
	}
	return text
}

// after skips what the end of a tag takes with it.
func (s *scanner) after(sign byte, block bool) {
	rest := s.src[s.pos:]
	switch {
	case sign == '-':
		s.pos += len(rest) - len(strings.TrimLeftFunc(rest, isSpace))
	case sign == 0 && block && strings.HasPrefix(rest, "\n"):
		s.pos++
	}
	s.bol = s.src[s.pos-1] == '\n'
}

func (s *scanner) comment() error {
	end := strings.Index(s.src[s.pos:], "#}")
	if end < 0 {
		return fmt.Errorf("unclosed comment")
	}
	var sign byte
	if end > 0 {
		sign = signAt(s.src, s.pos+end-1)
	}
	s.pos += end + 2
	s.after(sign, true)
	return nil
}

func (s *scanner) raw(trim bool) error {
	rest := s.src[s.pos:]
	m := rawEnd.FindStringSubmatchIndex(rest)
	if m == nil {
		return fmt.Errorf("unclosed raw block")
	}
	text := rest[:m[0]]
	if trim {
		text = strings.TrimLeftFunc(text, isSpace)
	}
	s.text(trimBefore(text, signAt(rest[:m[3]], m[2]), true, false))
	s.pos += m[1]
	s.after(signAt(rest[:m[5]], m[4]), true)
	return nil
}

func (s *scanner) tag(kind segmentKind, closer string) error {
	line := s.line(s.pos)
	tokens, sign, err := s.lex(closer)
	if err != nil {
		return err
	}
	if len(tokens) == 0 {
		return fmt.Errorf("empty tag")
	}
	s.segs = append(s.segs, segment{kind: kind, tokens: tokens, line: line})
	s.after(sign, kind == inStatement)
	return nil
}

func (s *scanner) text(text string) {
	if text != "" {
		s.segs = append(s.segs, segment{kind: inText, text: text, line: s.line(s.pos)})
	}
}

func (s *scanner) line(pos int) int { return 1 + strings.Count(s.src[:pos], "\n") }

// isSpace is what Python calls whitespace.
func isSpace(r rune) bool { return unicode.IsSpace(r) || '\x1c' <= r && r <= '\x1f' }
