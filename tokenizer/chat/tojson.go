package chat

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/ardanlabs/jinja"
)

// jsonWriter writes JSON byte for byte as Python's json.dumps.
type jsonWriter struct {
	strings.Builder
	shadow    *shadow
	ascii     bool   // no other characters
	sorted    bool   // by key
	lines     bool   // a line for each item
	indent    string // of lines, for each level
	item, key string // separators
}

func toJSON(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	w := &jsonWriter{shadow: r.shadow, item: ", ", key: ": "}
	ascii, _ := arg(args, named, 1, "ensure_ascii")
	sorted, _ := arg(args, named, 4, "sort_keys")
	w.ascii, w.sorted = ascii.IsTruthy(), sorted.IsTruthy()
	if v, ok := arg(args, named, 2, "indent"); ok {
		if v.IsString() {
			w.indent = v.AsString()
		} else {
			w.indent = strings.Repeat(" ", min(max(whole(args, named, 2, "indent", 0), 0), 64))
		}
		w.lines, w.item = true, ","
	}
	if v, ok := arg(args, named, 3, "separators"); ok {
		if !v.IsList() || v.AsList().Len() != 2 {
			return jinja.Undefined(), fmt.Errorf("tojson: separators are two strings")
		}
		w.item, w.key = r.show(v.AsList().Get(0)), r.show(v.AsList().Get(1))
	}
	if err := w.value(args[0], 0); err != nil {
		return jinja.Undefined(), err
	}
	return jinja.NewString(w.String()), nil
}

func (w *jsonWriter) value(v jinja.Value, depth int) error {
	switch {
	case v.IsString():
		w.string(v.AsString())
	case v.IsInt():
		w.WriteString(strconv.FormatInt(v.AsInt(), 10))
	case v.IsFloat():
		w.WriteString(float(v.AsFloat()))
	case v.IsBool():
		w.WriteString(strconv.FormatBool(v.AsBool()))
	case v.IsList():
		items := v.AsList().Items
		return w.block("[]", len(items), depth, func(i int) error { return w.value(items[i], depth+1) })
	case v.IsDict():
		keys := v.AsDict().OrderedKeys()
		if w.sorted {
			sort.Strings(keys)
		}
		return w.block("{}", len(keys), depth, func(i int) error {
			w.string(keys[i])
			w.WriteString(w.key)
			return w.value(v.AsDict().Data[keys[i]], depth+1)
		})
	case v.IsCallable():
		return fmt.Errorf("tojson: a function has no JSON")
	default:
		w.WriteString("null")
	}
	return nil
}

// block writes n items between brackets.
func (w *jsonWriter) block(brackets string, n, depth int, item func(i int) error) error {
	if depth > 2*maxDepth { // a list that a template appended to itself
		return errDeep
	}
	w.WriteString(brackets[:1])
	for i := range n {
		if i > 0 {
			w.WriteString(w.item)
		}
		w.newline(depth + 1)
		if err := item(i); err != nil {
			return err
		}
	}
	if n > 0 {
		w.newline(depth)
	}
	w.WriteString(brackets[1:])
	return nil
}

func (w *jsonWriter) newline(depth int) {
	if w.lines {
		w.WriteString("\n" + strings.Repeat(w.indent, depth))
	}
}

var jsonEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`,
}

// string writes a string. A hidden opener stays hidden, escaped as what it is.
func (w *jsonWriter) string(s string) {
	w.WriteByte('"')
	for _, c := range s {
		is := c
		if o, ok := w.shadow.opener(c); ok {
			is = o
		}
		switch escape, ok := jsonEscapes[is]; {
		case ok && is == c:
			w.WriteString(escape)
		case ok:
			w.WriteString(`\` + string(c))
		case is < ' ' || w.ascii && is > '~':
			for _, unit := range utf16.Encode([]rune{is}) {
				fmt.Fprintf(w, `\u%04x`, unit)
			}
		default:
			w.WriteRune(c)
		}
	}
	w.WriteByte('"')
}
