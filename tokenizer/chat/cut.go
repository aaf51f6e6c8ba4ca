package chat

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/ardanlabs/jinja"
)

// This file has the methods that cut a string. They look at what was given
// and cut its hidden form; see shadow.go.

func strip(left, right bool) function {
	return func(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
		s, err := r.receiver(args)
		if err != nil {
			return jinja.Undefined(), err
		}
		in := isSpace
		if chars, ok := arg(args, named, 1, "chars"); ok {
			set := r.given(chars)
			in = func(c rune) bool { return strings.ContainsRune(set, c) }
		}
		from, to := 0, len(s.text)
		if left {
			from = to - len(strings.TrimLeftFunc(s.text, in))
		}
		if right {
			to = from + len(strings.TrimRightFunc(s.text[from:], in))
		}
		return jinja.NewString(s.cut(from, to)), nil
	}
}

// gap is a stretch of a text that separates two pieces.
type gap struct{ from, to int }

// pieces is what lies between gaps.
func (s revealed) pieces(gaps []gap) jinja.Value {
	items := make([]jinja.Value, 0, len(gaps)+1)
	at := 0
	for _, g := range append(gaps, gap{len(s.text), 0}) {
		items = append(items, jinja.NewString(s.cut(at, g.from)))
		at = g.to
	}
	return jinja.NewList(items)
}

// gapsOf finds where sep is, from left to right.
func gapsOf(text, sep string) (gaps []gap) {
	for at := 0; ; {
		i := strings.Index(text[at:], sep)
		if i < 0 {
			return gaps
		}
		gaps = append(gaps, gap{at + i, at + i + len(sep)})
		at += i + len(sep)
	}
}

// spaces finds where whitespace is.
func spaces(text string) (gaps []gap) {
	for at := 0; ; {
		i := strings.IndexFunc(text[at:], isSpace)
		if i < 0 {
			return gaps
		}
		from := at + i
		at = len(text) - len(strings.TrimLeftFunc(text[from:], isSpace))
		gaps = append(gaps, gap{from, at})
	}
}

// split cuts at a separator, or at whitespace where none is given, in the
// first or, fromRight, the last maxsplit places.
func split(fromRight bool) function {
	return func(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
		s, err := r.receiver(args)
		if err != nil {
			return jinja.Undefined(), err
		}
		var gaps []gap
		if v, ok := arg(args, named, 1, "sep"); ok {
			sep := r.given(v)
			if sep == "" {
				return jinja.Undefined(), errors.New("split: empty separator")
			}
			gaps = gapsOf(s.text, sep)
		} else {
			s = r.trimmed(s)
			if s.text == "" {
				return jinja.NewList(nil), nil
			}
			gaps = spaces(s.text)
		}
		if limit := whole(args, named, 2, "maxsplit", -1); 0 <= limit && limit < len(gaps) {
			if fromRight {
				gaps = gaps[len(gaps)-limit:]
			} else {
				gaps = gaps[:limit]
			}
		}
		return s.pieces(gaps), nil
	}
}

// trimmed is s without the whitespace around it.
func (r *run) trimmed(s revealed) revealed {
	from := len(s.text) - len(strings.TrimLeftFunc(s.text, isSpace))
	to := from + len(strings.TrimRightFunc(s.text[from:], isSpace))
	return r.shadow.reveal(s.cut(from, to))
}

func splitLines(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	s, err := r.receiver(args)
	if err != nil {
		return jinja.Undefined(), err
	}
	var gaps []gap
	for at := 0; ; {
		i := strings.IndexAny(s.text[at:], "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if i < 0 {
			break
		}
		from := at + i
		_, n := utf8.DecodeRuneInString(s.text[from:])
		if strings.HasPrefix(s.text[from:], "\r\n") {
			n = 2
		}
		at = from + n
		gaps = append(gaps, gap{from, at})
	}
	lines := s.pieces(gaps).AsList()
	if last := lines.Len() - 1; lines.Items[last].AsString() == "" {
		lines.Items = lines.Items[:last]
	}
	return jinja.NewList(lines.Items), nil
}

// hasAffix tests for a prefix or suffix, or any of several.
func hasAffix(has func(s, affix string) bool) function {
	return func(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
		s, err := r.receiver(args)
		if err != nil {
			return jinja.Undefined(), err
		}
		wanted, ok := arg(args, nil, 1, "")
		if !ok {
			return jinja.Undefined(), errNoArgument
		}
		any := []jinja.Value{wanted}
		if wanted.IsList() {
			any = wanted.AsList().Items
		}
		for _, v := range any {
			if has(s.text, r.given(v)) {
				return jinja.NewBool(true), nil
			}
		}
		return jinja.NewBool(false), nil
	}
}

func removeAffix(suffix bool) function {
	return func(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
		s, err := r.receiver(args)
		if err != nil {
			return jinja.Undefined(), err
		}
		v, ok := arg(args, nil, 1, "")
		if !ok {
			return jinja.Undefined(), errNoArgument
		}
		affix := r.given(v)
		from, to := 0, len(s.text)
		if suffix && strings.HasSuffix(s.text, affix) {
			to -= len(affix)
		} else if !suffix && strings.HasPrefix(s.text, affix) {
			from = len(affix)
		}
		return jinja.NewString(s.cut(from, to)), nil
	}
}

// replace puts new where old is, in the first count places.
func replace(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	if len(args) < 3 {
		return jinja.Undefined(), errNoArgument
	}
	s := r.shadow.reveal(r.show(args[0]))
	old, with := r.given(args[1]), r.show(args[2])
	limit := whole(args, named, 3, "count", -1)
	if old == "" {
		return jinja.NewString(strings.Replace(s.hidden, "", with, limit)), nil
	}
	gaps := gapsOf(s.text, old)
	if 0 <= limit && limit < len(gaps) {
		gaps = gaps[:limit]
	}
	var b strings.Builder
	at := 0
	for _, g := range gaps {
		b.WriteString(s.cut(at, g.from) + with)
		at = g.to
	}
	return jinja.NewString(b.String() + s.cut(at, len(s.text))), nil
}
