package chat

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/ardanlabs/jinja"
)

// A function is something of Python's that templates call, on behalf of one
// rendering. args[0] is the value whose method it is, or that is filtered.
type function func(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error)

// methods are those of Python's strings and dicts. They take the engine's
// place in full, because it has some of them only, ignores arguments such as
// split's limit, and takes a key of a dict called "items" for the method.
var methods = map[string]function{
	"strip":        strip(true, true),
	"lstrip":       strip(true, false),
	"rstrip":       strip(false, true),
	"split":        split(false),
	"rsplit":       split(true),
	"splitlines":   splitLines,
	"startswith":   hasAffix(strings.HasPrefix),
	"endswith":     hasAffix(strings.HasSuffix),
	"removeprefix": removeAffix(false),
	"removesuffix": removeAffix(true),
	"replace":      replace,
	"find":         findText(strings.Index),
	"rfind":        findText(strings.LastIndex),
	"count":        countText,
	"upper":        mapText(strings.ToUpper),
	"lower":        mapText(strings.ToLower),
	"title":        mapText(title),
	"capitalize":   mapText(capitalize),
	"isdigit":      allRunes(unicode.IsDigit),
	"isspace":      allRunes(isSpace),
	"join":         joinItems,
	"format":       format,
	"get":          get,
	"items":        entries(func(k, v jinja.Value) jinja.Value { return jinja.NewList([]jinja.Value{k, v}) }),
	"keys":         entries(func(k, v jinja.Value) jinja.Value { return k }),
	"values":       entries(func(k, v jinja.Value) jinja.Value { return v }),
}

// arg is argument i, or the one called name, if it is there and not none.
func arg(args []jinja.Value, named map[string]jinja.Value, i int, name string) (jinja.Value, bool) {
	v, ok := named[name]
	if i < len(args) {
		v, ok = args[i], true
	}
	return v, ok && !v.IsNone() && !v.IsUndefined()
}

// whole is arg as a number, def where it is absent.
func whole(args []jinja.Value, named map[string]jinja.Value, i int, name string, def int) int {
	if v, ok := arg(args, named, i, name); ok && v.IsInt() {
		return int(v.AsInt())
	}
	return def
}

// receiver is the string that a method belongs to.
func (r *run) receiver(args []jinja.Value) (revealed, error) {
	if len(args) == 0 || !args[0].IsString() {
		return revealed{}, fmt.Errorf("a method of strings was called on %s", kindOf(args))
	}
	return r.shadow.reveal(args[0].AsString()), nil
}

func kindOf(args []jinja.Value) string {
	switch {
	case len(args) == 0 || args[0].IsUndefined():
		return "an undefined value"
	case args[0].IsNone():
		return "none"
	case args[0].IsDict():
		return "a mapping"
	case args[0].IsList():
		return "a list"
	}
	return "a value of another type"
}

// given is v as the caller of the template gave it.
func (r *run) given(v jinja.Value) string { return r.shadow.reveal(r.show(v)).text }

func get(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	if len(args) < 2 || !args[0].IsDict() {
		return jinja.Undefined(), fmt.Errorf("get was called on %s", kindOf(args))
	}
	if v, ok := args[0].AsDict().Get(r.show(args[1])); ok {
		return v, nil
	}
	if v, ok := named["default"]; ok {
		return v, nil
	}
	if len(args) > 2 {
		return args[2], nil
	}
	return jinja.None(), nil
}

// entries lists the entries of a dict in order.
func entries(entry func(key, value jinja.Value) jinja.Value) function {
	return func(_ *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
		if len(args) == 0 || !args[0].IsDict() {
			return jinja.Undefined(), fmt.Errorf("a method of mappings was called on %s", kindOf(args))
		}
		d := args[0].AsDict()
		items := make([]jinja.Value, d.Len())
		for i, key := range d.Keys {
			items[i] = entry(jinja.NewString(key), d.Data[key])
		}
		return jinja.NewList(items), nil
	}
}
