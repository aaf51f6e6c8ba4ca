package chat

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ardanlabs/jinja"
)

// This file has the methods of strings that do not cut.

var errNoArgument = errors.New("an argument is missing")

// findText counts in runes, as Python does.
func findText(index func(s, sub string) int) function {
	return func(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
		s, err := r.receiver(args)
		if err != nil {
			return jinja.Undefined(), err
		}
		if len(args) < 2 {
			return jinja.Undefined(), errNoArgument
		}
		i := index(s.text, r.given(args[1]))
		if i > 0 {
			i = utf8.RuneCountInString(s.text[:i])
		}
		return jinja.NewInt(int64(i)), nil
	}
}

func countText(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	s, err := r.receiver(args)
	if err != nil {
		return jinja.Undefined(), err
	}
	if len(args) < 2 {
		return jinja.Undefined(), errNoArgument
	}
	return jinja.NewInt(int64(strings.Count(s.text, r.given(args[1])))), nil
}

// mapText changes letters, of which openers are none.
func mapText(f func(string) string) function {
	return func(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
		s, err := r.receiver(args)
		return jinja.NewString(f(s.hidden)), err
	}
}

func title(s string) string {
	inWord := false
	return strings.Map(func(r rune) rune {
		if inWord {
			r = unicode.ToLower(r)
		} else {
			r = unicode.ToTitle(r)
		}
		inWord = unicode.IsLetter(r)
		return r
	}, s)
}

func capitalize(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToTitle(s[:n]) + strings.ToLower(s[n:])
}

func allRunes(is func(rune) bool) function {
	return func(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
		s, err := r.receiver(args)
		not := func(c rune) bool { return !is(c) }
		return jinja.NewBool(s.text != "" && strings.IndexFunc(s.text, not) < 0), err
	}
}

func joinItems(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	s, err := r.receiver(args)
	if err != nil {
		return jinja.Undefined(), err
	}
	if len(args) < 2 || !args[1].IsList() {
		return jinja.Undefined(), fmt.Errorf("join: not a list")
	}
	words := make([]string, args[1].AsList().Len())
	for i, v := range args[1].AsList().Items {
		words[i] = r.show(v)
	}
	return jinja.NewString(strings.Join(words, s.hidden)), nil
}

// format knows {}, {0} and {name}, and no more of Python's formats.
func format(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	s, err := r.receiver(args)
	if err != nil {
		return jinja.Undefined(), err
	}
	var b strings.Builder
	next := 1
	for text := s.hidden; text != ""; {
		i := strings.IndexAny(text, "{}")
		if i < 0 {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:i])
		if text = text[i:]; strings.HasPrefix(text, "{{") || strings.HasPrefix(text, "}}") {
			b.WriteByte(text[0])
			text = text[2:]
			continue
		}
		end := strings.IndexByte(text, '}')
		if text[0] == '}' || end < 0 {
			return jinja.Undefined(), errors.New("format: single brace")
		}
		v, err := field(text[1:end], &next, args, named)
		if err != nil {
			return jinja.Undefined(), err
		}
		b.WriteString(r.show(v))
		text = text[end+1:]
	}
	return jinja.NewString(b.String()), nil
}

// field is the argument that a replacement field names; next is the one that
// an empty field takes.
func field(name string, next *int, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	if v, ok := named[name]; ok {
		return v, nil
	}
	i, err := strconv.Atoi(name)
	i++
	if name == "" {
		i, err = *next, nil
		*next++
	}
	if err != nil || i < 1 || i >= len(args) {
		return jinja.Undefined(), fmt.Errorf("format: no argument for {%s}", name)
	}
	return args[i], nil
}
