package chat

import (
	"errors"
	"strings"
	"time"

	"github.com/ardanlabs/jinja"
)

// run is one rendering of a template.
type run struct {
	shadow *shadow
	now    func() time.Time
	null   bool // some message has no content: none is written as nothing
	depth  int  // of macro calls
}

// globals are the functions that templates call by name.
var globals = map[string]function{
	"raise_exception": raise,
	"strftime_now":    strftimeNow,
	"range":           ints,
	"__given":         given,
	"__show":          show,
	"__enter":         enter,
	"__leave":         leave,
}

// functions are those that a template calls, bound to this rendering.
func (r *run) functions(uses map[string]bool) map[string]jinja.Value {
	scope := make(map[string]jinja.Value, len(globals)+len(uses)+16)
	for name, f := range globals {
		scope[name] = r.bind(name, f)
	}
	for name := range uses {
		if f, ok := filterNamed(strings.TrimPrefix(name, "__f_")); ok {
			scope[name] = r.bind(name, f)
		} else if f, ok := methods[strings.TrimPrefix(name, "__m_")]; ok {
			scope[name] = r.bind(name, f)
		}
	}
	return scope
}

func (r *run) bind(name string, f function) jinja.Value {
	return jinja.NewCallable(name, func(args []jinja.Value, named map[string]jinja.Value) (jinja.Value, error) {
		return f(r, args, named)
	})
}

func raise(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	if len(args) == 0 {
		return jinja.Undefined(), errNoArgument
	}
	return jinja.Undefined(), &RaisedError{r.given(args[0])}
}

func strftimeNow(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	if len(args) == 0 {
		return jinja.Undefined(), errNoArgument
	}
	now := time.Now
	if r.now != nil {
		now = r.now
	}
	return jinja.NewString(strftime(now(), r.show(args[0]))), nil
}

// given is a value to search in, as the caller gave it: a string, or what a
// list or a dict has for its members.
func given(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	v := args[0]
	reveal := func(s string) string { return r.shadow.reveal(s).text }
	switch {
	case r.shadow.first == 0:
	case v.IsString():
		return jinja.NewString(reveal(v.AsString())), nil
	case v.IsList():
		items := make([]jinja.Value, v.AsList().Len())
		for i, item := range v.AsList().Items {
			if items[i] = item; item.IsString() {
				items[i] = jinja.NewString(reveal(item.AsString()))
			}
		}
		return jinja.NewList(items), nil
	case v.IsDict():
		keys := jinja.NewDict()
		for _, key := range v.AsDict().Keys {
			keys.AsDict().Set(reveal(key), jinja.None())
		}
		return keys, nil
	}
	return v, nil
}

// show makes a string of what is written.
func show(r *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	return jinja.NewString(r.show(args[0])), nil
}

const (
	maxRange = 100_000 // as in Jinja's sandbox
	maxCalls = 500     // of macros within each other: the engine would overflow the stack
)

var (
	errRange = errors.New("range is too long")
	errCalls = errors.New("macros call each other too deep")
)

// ints is Python's range.
func ints(_ *run, args []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	bounds := [3]int{0, 0, 1}
	switch len(args) {
	case 1:
		bounds[1] = whole(args, nil, 0, "", 0)
	case 2, 3:
		for i := range args {
			bounds[i] = whole(args, nil, i, "", bounds[i])
		}
	default:
		return jinja.Undefined(), errNoArgument
	}
	from, to, step := bounds[0], bounds[1], bounds[2]
	if step == 0 {
		return jinja.Undefined(), errors.New("range: step is zero")
	}
	var items []jinja.Value
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		if len(items) == maxRange {
			return jinja.Undefined(), errRange
		}
		items = append(items, jinja.NewInt(int64(i)))
	}
	return jinja.NewList(items), nil
}

// enter and leave frame the body of a macro.
func enter(r *run, _ []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	if r.depth++; r.depth > maxCalls {
		return jinja.Undefined(), errCalls
	}
	return jinja.None(), nil
}

func leave(r *run, _ []jinja.Value, _ map[string]jinja.Value) (jinja.Value, error) {
	r.depth--
	return jinja.None(), nil
}
