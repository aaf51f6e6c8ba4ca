package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ardanlabs/jinja"
)

// filters are those that take the engine's place: they know hidden text
// (shadow.go), keep the order of keys, or do what the engine leaves out.
var filters = map[string]function{
	"trim":       onText(strip(true, true)),
	"upper":      onText(mapText(strings.ToUpper)),
	"lower":      onText(mapText(strings.ToLower)),
	"title":      onText(mapText(title)),
	"capitalize": onText(mapText(capitalize)),
	"string":     onText(mapText(func(s string) string { return s })),
	"replace":    replace,
	"e":          escape,
	"escape":     escape,
	"tojson":     toJSON,
	"fromjson":   fromJSON,
	"from_json":  fromJSON,
	"join":       join,
	"list":       toList,
	"first":      edge(func(n int) int { return 0 }),
	"last":       edge(func(n int) int { return n - 1 }),
	"sort":       sortItems,
	"dictsort":   sortDict,
}

// filterNamed finds a filter of this package. "map" calls others through it,
// so it cannot be in the table.
func filterNamed(name string) (f function, ok bool) {
	if name == "map" {
		return mapItems, true
	}
	f, ok = filters[name]
	return f, ok
}

// onText makes a method of strings a filter, which takes any value.
func onText(f function) function {
	return func(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
		if len(args) > 0 {
			args[0] = jinja.NewString(r.show(args[0]))
		}
		return f(r, args, named)
	}
}

var htmlEscapes = map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&#34;", '\'': "&#39;"}

func escape(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	var b strings.Builder
	for _, c := range r.show(args[0]) {
		is := c
		if o, ok := r.shadow.opener(c); ok {
			is = o
		}
		if s, ok := htmlEscapes[is]; ok {
			b.WriteString(s)
		} else {
			b.WriteRune(c)
		}
	}
	return jinja.NewString(b.String()), nil
}

func fromJSON(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	v, err := parseJSON([]byte(r.given(args[0])))
	if err != nil {
		return v, fmt.Errorf("fromjson: %w", err)
	}
	return mapStrings(v, r.shadow.hide), nil
}

// join takes the attribute of each item that is named, if one is.
func join(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	list, err := toList(r, args[:1], nil)
	if err != nil {
		return list, err
	}
	if path, ok := arg(args, named, 2, "attribute"); ok {
		list = pluck(list, r.show(path), jinja.Undefined())
	}
	sep, _ := arg(args, named, 1, "d")
	return joinItems(r, []jinja.Value{jinja.NewString(r.show(sep)), list}, nil)
}

// toList lists the keys of a dict, which the engine does not, and the runes of
// a string.
func toList(_ *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	v := args[0]
	var items []jinja.Value
	switch {
	case v.IsList():
		return v, nil
	case v.IsDict():
		for _, key := range v.AsDict().Keys {
			items = append(items, jinja.NewString(key))
		}
	case v.IsString():
		for _, c := range v.AsString() {
			items = append(items, jinja.NewString(string(c)))
		}
	case !v.IsUndefined():
		return v, fmt.Errorf("list: %s cannot be listed", kindOf(args))
	}
	return jinja.NewList(items), nil
}

// edge is one of n items, or of the runes of a string, which the engine has none of.
func edge(of func(n int) int) function {
	return func(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
		list, err := toList(r, args[:1], nil)
		if err != nil || list.AsList().Len() == 0 {
			return jinja.Undefined(), err
		}
		items := list.AsList().Items
		return items[of(len(items))], nil
	}
}

// mapItems takes an attribute of each item, or applies a filter or method.
func mapItems(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	list, err := toList(r, args[:1], nil)
	if err != nil {
		return list, err
	}
	if path, ok := named["attribute"]; ok {
		return pluck(list, r.show(path), named["default"]), nil
	}
	if len(args) < 2 {
		return list, errNoArgument
	}
	f, ok := filterNamed(r.show(args[1]))
	if !ok {
		return list, fmt.Errorf("map: unsupported filter %q", r.show(args[1]))
	}
	items := make([]jinja.Value, list.AsList().Len())
	for i, item := range list.AsList().Items {
		if items[i], err = f(r, append([]jinja.Value{item}, args[2:]...), named); err != nil {
			return list, err
		}
	}
	return jinja.NewList(items), nil
}

// pluck takes an attribute of each item of a list.
func pluck(list jinja.Value, path string, def jinja.Value) jinja.Value {
	items := make([]jinja.Value, list.AsList().Len())
	for i, item := range list.AsList().Items {
		if items[i] = attribute(item, path); items[i].IsUndefined() {
			items[i] = def
		}
	}
	return jinja.NewList(items)
}

// attribute follows a path of keys with dots.
func attribute(v jinja.Value, path string) jinja.Value {
	for key := range strings.SplitSeq(path, ".") {
		if !v.IsDict() {
			return jinja.Undefined()
		}
		v, _ = v.AsDict().Get(key)
	}
	return v
}

func sortItems(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	list, err := toList(r, args[:1], nil)
	if err != nil {
		return list, err
	}
	path, byPath := named["attribute"]
	items := slices.Clone(list.AsList().Items)
	r.sort(items, args[1:], named, func(v jinja.Value) jinja.Value {
		if byPath {
			return attribute(v, r.show(path))
		}
		return v
	})
	return jinja.NewList(items), nil
}

func sortDict(r *run, args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
	pairs, err := methods["items"](r, args[:1], nil)
	if err != nil {
		return pairs, err
	}
	by := 0
	if v, ok := arg(args, named, 2, "by"); ok && r.show(v) == "value" {
		by = 1
	}
	order := map[string]jinja.Value{"case_sensitive": jinja.NewBool(len(args) > 1 && args[1].IsTruthy())}
	if v, ok := named["case_sensitive"]; ok {
		order["case_sensitive"] = v
	}
	if v, ok := arg(args, named, 3, "reverse"); ok {
		order["reverse"] = v
	}
	items := pairs.AsList().Items
	r.sort(items, nil, order, func(v jinja.Value) jinja.Value { return v.AsList().Items[by] })
	return jinja.NewList(items), nil
}

// sort orders items by their keys; its arguments are reverse and
// case_sensitive, both false by default.
func (r *run) sort(items, args []jinja.Value, named map[string]jinja.Value, key func(jinja.Value) jinja.Value) {
	reverse, _ := arg(args, named, 0, "reverse")
	exact, _ := arg(args, named, 1, "case_sensitive")
	slices.SortStableFunc(items, func(a, b jinja.Value) int {
		c := r.compare(key(a), key(b), exact.IsTruthy())
		if reverse.IsTruthy() {
			c = -c
		}
		return c
	})
}

// compare orders numbers before strings; Python would refuse to mix them.
func (r *run) compare(a, b jinja.Value, exact bool) int {
	if a.IsNumber() && b.IsNumber() {
		x, y := toFloat(a), toFloat(b)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	if a.IsNumber() != b.IsNumber() {
		if a.IsNumber() {
			return -1
		}
		return 1
	}
	x, y := r.given(a), r.given(b)
	if !exact {
		x, y = strings.ToLower(x), strings.ToLower(y)
	}
	return strings.Compare(x, y)
}

func toFloat(v jinja.Value) float64 {
	if v.IsInt() {
		return float64(v.AsInt())
	}
	return v.AsFloat()
}
