package chat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A token is a word of the language within tags.
type token struct {
	kind tokenKind
	text string // of a stringToken: what the literal means
}

type tokenKind uint8

const (
	noToken tokenKind = iota
	nameToken
	numberToken
	stringToken
	opToken
)

func (t token) name(s string) bool { return t.kind == nameToken && t.text == s }
func (t token) op(s string) bool   { return t.kind == opToken && t.text == s }

// maxNesting bounds the brackets within each other, because parsers recurse
// and templates come from strangers' files.
const maxNesting = 100

const closers, openers = ")]}", "([{"

// lex reads the tokens of a tag and its end, and returns the sign before it.
func (s *scanner) lex(closer string) (tokens []token, sign byte, err error) {
	var open []byte
	for {
		s.skipSpace()
		rest := s.src[s.pos:]
		if rest == "" {
			return nil, 0, fmt.Errorf("unclosed tag: no %s", closer)
		}
		if len(open) == 0 {
			if sign, ok := closing(rest, closer); ok {
				s.pos += len(closer)
				if sign != 0 {
					s.pos++
				}
				return tokens, sign, nil
			}
		}
		t, n, err := lexToken(rest, len(tokens) > 0 && tokens[len(tokens)-1].op("."))
		if err != nil {
			return nil, 0, err
		}
		s.pos += n
		if open, err = nest(open, t); err != nil {
			return nil, 0, err
		}
		if last := len(tokens) - 1; t.kind == stringToken && last >= 0 && tokens[last].kind == stringToken {
			tokens[last].text += t.text // literals side by side are one
			continue
		}
		tokens = append(tokens, t)
	}
}

func (s *scanner) skipSpace() {
	rest := s.src[s.pos:]
	s.pos += len(rest) - len(strings.TrimLeftFunc(rest, isSpace))
}

// closing reports whether text begins with the end of a tag.
func closing(text, closer string) (sign byte, ok bool) {
	if strings.HasPrefix(text, closer) {
		return 0, true
	}
	sign = signAt(text, 0)
	ok = sign == '-' || sign == '+' && closer == "%}"
	return sign, ok && strings.HasPrefix(text[1:], closer)
}

// nest keeps the stack of open brackets.
func nest(open []byte, t token) ([]byte, error) {
	if t.kind != opToken {
		return open, nil
	}
	if strings.Contains(openers, t.text) {
		if len(open) == maxNesting {
			return nil, fmt.Errorf("brackets nested deeper than %d", maxNesting)
		}
		return append(open, t.text[0]), nil
	}
	if i := strings.Index(closers, t.text); i >= 0 {
		if len(open) == 0 || open[len(open)-1] != openers[i] {
			return nil, fmt.Errorf("unexpected %q", t.text)
		}
		return open[:len(open)-1], nil
	}
	return open, nil
}

// lexToken reads one token and returns the bytes it takes. After a dot a
// number is an index, never a fraction.
func lexToken(src string, afterDot bool) (token, int, error) {
	switch c := src[0]; {
	case c == '\'' || c == '"':
		return lexString(src)
	case isDigit(c):
		return lexNumber(src, afterDot)
	case isLetter(c):
		n := prefix(src, func(c byte) bool { return isLetter(c) || isDigit(c) })
		return token{nameToken, src[:n]}, n, nil
	}
	for _, op := range []string{"**", "//", "==", "!=", "<=", ">="} {
		if strings.HasPrefix(src, op) {
			return token{opToken, op}, 2, nil
		}
	}
	if strings.IndexByte("+-*/%~<>=()[]{}.,:|", src[0]) >= 0 {
		return token{opToken, src[:1]}, 1, nil
	}
	r, _ := utf8.DecodeRuneInString(src)
	return token{}, 0, fmt.Errorf("unexpected character %q", r)
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func prefix(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

func lexNumber(src string, whole bool) (token, int, error) {
	digits := func(at int) int {
		return at + prefix(src[at:], func(c byte) bool { return isDigit(c) || c == '_' })
	}
	n := digits(0)
	fraction := false
	if !whole && n+1 < len(src) && src[n] == '.' && isDigit(src[n+1]) {
		n, fraction = digits(n+1), true
	}
	if e := n; !whole && e < len(src) && src[e]|0x20 == 'e' {
		e++
		if signAt(src, e) != 0 {
			e++
		}
		if e < len(src) && isDigit(src[e]) {
			n, fraction = digits(e), true
		}
	}
	text := strings.ReplaceAll(src[:n], "_", "")
	if !fraction {
		return token{numberToken, text}, n, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return token{}, 0, fmt.Errorf("number %s: %w", text, err)
	}
	if text = strconv.FormatFloat(f, 'f', -1, 64); !strings.Contains(text, ".") {
		text += ".0"
	}
	return token{numberToken, text}, n, nil
}

// lexString reads a literal with Python's escapes.
func lexString(src string) (token, int, error) {
	quote := src[0]
	var b strings.Builder
	for i := 1; i < len(src); {
		switch c := src[i]; {
		case c == quote:
			return token{stringToken, b.String()}, i + 1, nil
		case c == '\\' && i+1 < len(src):
			text, n := unescape(src[i:])
			b.WriteString(text)
			i += n
		default:
			b.WriteByte(c)
			i++
		}
	}
	return token{}, 0, fmt.Errorf("unclosed string")
}

// unescape is the meaning of the escape that s begins with, and its length.
// What is no escape keeps its backslash.
func unescape(s string) (string, int) {
	if s[1] == '\n' {
		return "", 2
	}
	if i := strings.IndexByte(`\'"abfnrtv`, s[1]); i >= 0 {
		return "\\'\"\a\b\f\n\r\t\v"[i : i+1], 2
	}
	if i := strings.IndexByte("xuU", s[1]); i >= 0 {
		n := 2 + []int{2, 4, 8}[i]
		if n <= len(s) {
			if r, err := strconv.ParseUint(s[2:n], 16, 32); err == nil && utf8.ValidRune(rune(r)) {
				return string(rune(r)), n
			}
		}
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	return s[:1+n], 1 + n
}

// matches maps the index of each opening bracket to that of its closing one.
func matches(tokens []token) map[int]int {
	m := map[int]int{}
	var open []int
	for i, t := range tokens {
		switch {
		case t.kind != opToken:
		case strings.Contains(openers, t.text):
			open = append(open, i)
		case strings.Contains(closers, t.text):
			m[open[len(open)-1]] = i
			open = slices.Delete(open, len(open)-1, len(open))
		}
	}
	return m
}
