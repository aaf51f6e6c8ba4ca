package chat

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/ardanlabs/jinja"
)

// show is v as Python's str writes it, and as it goes into the prompt.
func (r *run) show(v jinja.Value) string {
	switch {
	case v.IsString():
		return v.AsString()
	case v.IsUndefined() || v.IsCallable() || v.IsNone() && r.null:
		return ""
	}
	var b strings.Builder
	r.repr(&b, v, 0)
	return b.String()
}

// repr writes v as Python's repr.
func (r *run) repr(b *strings.Builder, v jinja.Value, depth int) {
	switch {
	case depth > 2*maxDepth: // a list that a template appended to itself
		b.WriteString("...")
	case v.IsString():
		r.quote(b, v.AsString())
	case v.IsFloat():
		b.WriteString(float(v.AsFloat()))
	case v.IsList():
		b.WriteByte('[')
		for i, item := range v.AsList().Items {
			if i > 0 {
				b.WriteString(", ")
			}
			r.repr(b, item, depth+1)
		}
		b.WriteByte(']')
	case v.IsDict():
		b.WriteByte('{')
		for i, key := range v.AsDict().Keys {
			if i > 0 {
				b.WriteString(", ")
			}
			r.quote(b, key)
			b.WriteString(": ")
			r.repr(b, v.AsDict().Data[key], depth+1)
		}
		b.WriteByte('}')
	default:
		b.WriteString(v.String())
	}
}

// quote writes s as a literal of Python's. Hidden openers stay hidden.
func (r *run) quote(b *strings.Builder, s string) {
	mark := '\''
	if given := r.shadow.reveal(s).text; strings.Contains(given, "'") && !strings.Contains(given, `"`) {
		mark = '"'
	}
	b.WriteRune(mark)
	for _, c := range s {
		is := c
		if o, ok := r.shadow.opener(c); ok {
			is = o
		}
		switch {
		case is == mark || is == '\\':
			b.WriteString(`\` + string(c))
		case unicode.IsPrint(is):
			b.WriteRune(c)
		case is == '\n':
			b.WriteString(`\n`)
		case is == '\r':
			b.WriteString(`\r`)
		case is == '\t':
			b.WriteString(`\t`)
		case is < 0x100:
			fmt.Fprintf(b, `\x%02x`, is)
		case is < 0x10000:
			fmt.Fprintf(b, `\u%04x`, is)
		default:
			fmt.Fprintf(b, `\U%08x`, is)
		}
	}
	b.WriteRune(mark)
}

// float writes a number as Python does: 1.0, 1e+16, 0.0001.
func float(f float64) string {
	_, exp, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	if n, err := strconv.Atoi(exp); err != nil || n < -4 || n >= 16 {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
