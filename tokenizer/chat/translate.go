package chat

import (
	"fmt"
	"slices"
	"strings"
)

// translator writes a template anew in the part of the language that the
// engine handles as Jinja does. The engine gets no text outside of tags, so
// that its own whitespace control has nothing to do; string methods and some
// filters become calls of this package's (see methods.go, filters.go), which
// is also how they can tell whose text they handle (see shadow.go).
type translator struct {
	out    strings.Builder
	line   int              // of the template, where out has come to
	made   int              // names made up so far
	uses   map[string]bool  // functions of this package that are called
	after  []string         // what follows the end of each open block
	forget map[int][]string // by segment: names that each turn of a loop forgets
}

func translate(segs []segment) (src string, uses map[string]bool, err error) {
	t := &translator{line: 1, uses: map[string]bool{}, forget: assigned(segs)}
	for i, seg := range segs {
		t.sync(seg.line)
		switch seg.kind {
		case inText:
			t.output(quote(seg.text))
		case inOutput:
			var e string
			if e, err = t.expr(seg.tokens); err == nil {
				t.output("( " + e + ") | __show")
			}
		case inStatement:
			err = t.statement(i, seg.tokens)
		}
		if err != nil {
			return "", nil, fmt.Errorf("line %d: %w", seg.line, err)
		}
	}
	return t.out.String(), t.uses, nil
}

// sync moves to a line, so that the engine's errors name lines of the template.
func (t *translator) sync(line int) {
	if n := line - t.line; n > 0 {
		t.out.WriteString("{#" + strings.Repeat("\n", n) + "#}")
		t.line = line
	}
}

func (t *translator) output(expr string) { t.out.WriteString("{{ " + expr + " }}") }

func (t *translator) tag(words ...string) {
	t.out.WriteString("{% " + strings.Join(words, " ") + " %}")
}

func (t *translator) set(name, x string) { t.tag("set", name, "=", x) }

// name makes up a name that no template has.
func (t *translator) name(s string) string {
	t.made++
	return fmt.Sprintf("__%s%d", s, t.made)
}

// use notes that a function of this package is called.
func (t *translator) use(name string) string {
	t.uses[name] = true
	return name
}

// statement writes segment i, a statement.
func (t *translator) statement(i int, toks []token) error {
	word, rest := toks[0].text, toks[1:]
	switch word {
	case "if", "elif":
		e, err := t.expr(rest)
		t.tag(word, e)
		return err
	case "else", "endif", "endfor", "break", "continue", "generation", "endgeneration":
		t.tag(word)
		return nil
	case "for":
		return t.loop(rest, t.forget[i])
	case "set":
		return t.assign(rest)
	case "macro":
		return t.macro(rest)
	case "call":
		return t.call(rest)
	case "filter":
		name := t.name("block")
		e, err := t.filtered(name, append([]token{{opToken, "|"}}, rest...))
		t.open("{{ "+e+" }}", "set", name)
		return err
	case "endset", "endfilter", "endmacro", "endcall":
		return t.close(word)
	}
	return fmt.Errorf("unknown or unsupported statement %q", word)
}

// open begins a block that what says; after follows its end.
func (t *translator) open(after string, what ...string) {
	t.after = append(t.after, after)
	t.tag(what...)
}

func (t *translator) close(word string) error {
	if len(t.after) == 0 {
		return fmt.Errorf("unexpected %q", word)
	}
	last := len(t.after) - 1
	after := t.after[last]
	t.after = t.after[:last]
	switch word {
	case "endmacro":
		t.output(t.use("__leave") + "()")
	case "endfilter":
		word = "endset"
	}
	t.tag(word)
	t.out.WriteString(after)
	return nil
}

// filtered is the value called name with filters applied to it.
func (t *translator) filtered(name string, filters []token) (string, error) {
	return t.expr(append([]token{{nameToken, name}}, filters...))
}

// assign writes a set statement: of a variable, of a namespace's attribute, or
// the beginning of a block.
func (t *translator) assign(toks []token) error {
	if len(toks) == 0 || toks[0].kind != nameToken {
		return fmt.Errorf("set needs a name")
	}
	target, rest := toks[0].text, toks[1:]
	if len(rest) > 1 && rest[0].op(".") {
		target, rest = target+"."+rest[1].text, rest[2:]
	}
	switch {
	case len(rest) == 0:
		t.open("", "set", target)
		return nil
	case rest[0].op("="):
		e, err := t.expr(rest[1:])
		t.set(target, e)
		return err
	case rest[0].op("|"):
		name := t.name("block")
		e, err := t.filtered(name, rest)
		t.open("{% set "+target+" = "+e+" %}", "set", name)
		return err
	}
	return fmt.Errorf("set of several names is not supported")
}

// macro writes the beginning of a macro. Defaults of more than a word are set
// in its body, where the engine cannot cut them apart at their commas.
func (t *translator) macro(toks []token) error {
	if len(toks) < 3 || !toks[1].op("(") || !toks[len(toks)-1].op(")") {
		return fmt.Errorf("macro needs a name and parameters")
	}
	var params, defaults []string
	for _, param := range commas(toks[2 : len(toks)-1]) {
		if len(param) == 0 || param[0].kind != nameToken || len(param) > 1 && !param[1].op("=") {
			return fmt.Errorf("macro %s: broken parameters", toks[0].text)
		}
		name := param[0].text
		params = append(params, name)
		if len(param) == 1 {
			continue
		}
		e, err := t.expr(param[2:])
		if err != nil {
			return err
		}
		if len(param) == 3 && !strings.ContainsAny(e, ",=()") {
			params[len(params)-1] += "=" + e
		} else {
			defaults = append(defaults, fmt.Sprintf("{%% set %s = %s if %s is defined else (%s) %%}", name, name, name, e))
		}
	}
	t.open("", "macro", toks[0].text+"("+strings.Join(params, ", ")+")")
	t.output(t.use("__enter") + "()")
	t.out.WriteString(strings.Join(defaults, ""))
	return nil
}

// call writes the beginning of a call block: call(parameters) expression.
func (t *translator) call(toks []token) error {
	word := "call"
	if len(toks) > 0 && toks[0].op("(") {
		end := matches(toks)[0]
		word += write(toks[:end+1])
		toks = toks[end+1:]
	}
	e, err := t.expr(toks)
	t.open("", word, e)
	return err
}

// loop writes the beginning of a for loop. Unlike the engine's, Jinja's loops
// forget at each turn what was set in the one before.
func (t *translator) loop(toks []token, forget []string) error {
	in := find(toks, "in")
	if in < 0 {
		return fmt.Errorf("for without in")
	}
	names, rest := targets(toks[:in]), toks[in+1:]
	if len(names) == 0 || len(names) > 2 {
		return fmt.Errorf("for with %d names is not supported", len(names))
	}
	var filter []token
	if at := find(rest, "if"); at >= 0 {
		rest, filter = rest[:at], rest[at+1:]
	}
	if n := len(rest); n > 0 && rest[n-1].name("recursive") {
		return fmt.Errorf("recursive loops are not supported")
	}
	over, err := t.expr(rest)
	if err != nil {
		return err
	}
	if over, err = t.filterLoop(names, over, filter); err != nil {
		return err
	}
	kept := make([]string, len(forget))
	for i, name := range forget {
		kept[i] = t.name("outer")
		t.set(kept[i], name)
	}
	t.tag("for", strings.Join(names, ", "), "in", over)
	for i, name := range forget {
		t.set(name, kept[i])
	}
	return nil
}

// filterLoop is what a loop runs over when a condition follows it. The engine
// knows the first name in the condition only, so two names are filtered before.
func (t *translator) filterLoop(names []string, over string, filter []token) (string, error) {
	if filter == nil {
		return over, nil
	}
	cond, err := t.expr(filter)
	if err != nil {
		return "", err
	}
	if len(names) == 1 {
		return over + " if " + cond, nil
	}
	list := t.name("list")
	t.set(list, "[]")
	pair := strings.Join(names, ", ")
	t.tag("for", pair, "in", over)
	t.tag("if", cond)
	t.output(list + ".append([" + pair + "])")
	t.tag("endif")
	t.tag("endfor")
	return list, nil
}

// targets are the names on the left of a for loop.
func targets(toks []token) (names []string) {
	for _, tok := range toks {
		if tok.kind == nameToken {
			names = append(names, tok.text)
		}
	}
	return names
}

// find is the index of a word outside of brackets, or -1.
func find(toks []token, word string) int {
	depth := 0
	for i, tok := range toks {
		switch {
		case tok.kind == opToken && strings.Contains(openers, tok.text):
			depth++
		case tok.kind == opToken && strings.Contains(closers, tok.text):
			depth--
		case depth == 0 && tok.name(word):
			return i
		}
	}
	return -1
}

// commas cuts tokens at the commas outside of brackets.
func commas(toks []token) (parts [][]token) {
	pairs := matches(toks)
	start := 0
	for i := 0; i < len(toks); i++ {
		if end, ok := pairs[i]; ok {
			i = end
		} else if toks[i].op(",") {
			parts = append(parts, toks[start:i])
			start = i + 1
		}
	}
	if start < len(toks) {
		parts = append(parts, toks[start:])
	}
	return parts
}

// assigned finds the names that each loop sets, by the segment it begins at.
func assigned(segs []segment) map[int][]string {
	names := map[int][]string{}
	var open []int // loops, and -1 for macros and calls, which have names of their own
	for i, seg := range segs {
		if seg.kind != inStatement {
			continue
		}
		switch seg.tokens[0].text {
		case "for":
			open = append(open, i)
		case "macro", "call":
			open = append(open, -1)
		case "endfor", "endmacro", "endcall":
			open = open[:max(len(open)-1, 0)]
		case "set":
			if len(open) > 0 && open[len(open)-1] >= 0 && len(seg.tokens) > 1 {
				loop := open[len(open)-1]
				names[loop] = note(names[loop], segs[loop].tokens, seg.tokens[1:])
			}
		}
	}
	return names
}

// note adds the name that a set statement sets, unless the loop sets it itself.
func note(names []string, loop, set []token) []string {
	attribute := len(set) > 1 && set[1].op(".")
	in := max(find(loop, "in"), 1)
	name := set[0].text
	if attribute || slices.Contains(names, name) || slices.Contains(targets(loop[1:in]), name) {
		return names
	}
	return append(names, name)
}
