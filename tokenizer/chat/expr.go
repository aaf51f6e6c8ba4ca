package chat

import (
	"fmt"
	"slices"
	"strings"
)

// The engine's filters and tests. Jinja refuses to parse any other, and so
// does New.
var (
	engineFilters = strings.Fields(`abs batch capitalize count d default e escape first float from_json fromjson
		indent int items join last length list lower map max min reject rejectattr replace reverse round safe select
		selectattr sort string sum title tojson trim unique upper wordcount`)
	engineTests = strings.Fields(`boolean callable defined eq equalto even false float ge greaterthan gt in integer
		iterable le lessthan lower lt mapping ne none number odd sameas sequence string true undefined upper`)
)

// rewriter rewrites one expression token by token.
type rewriter struct {
	toks   []token
	pairs  map[int]int // of brackets
	before [][]string  // what goes before each token, and before the end
	safe   map[int]bool
	use    func(string) string
}

// expr writes an expression for the engine.
func (t *translator) expr(toks []token) (string, error) {
	if len(toks) == 0 {
		return "", fmt.Errorf("expression expected")
	}
	r := &rewriter{
		toks: slices.Clone(toks), pairs: matches(toks), before: make([][]string, len(toks)+1),
		safe: map[int]bool{}, use: t.use,
	}
	for i := range r.toks {
		if err := r.token(i); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	for i, tok := range append(r.toks, token{}) {
		for _, s := range r.before[i] {
			b.WriteString(s + " ")
		}
		b.WriteString(literal(tok))
		if !tok.op(".") && !r.at(i+1).op(".") {
			b.WriteByte(' ')
		}
	}
	return b.String(), nil
}

// at is token i, or none beyond the end.
func (r *rewriter) at(i int) token {
	if i < 0 || i >= len(r.toks) {
		return token{}
	}
	return r.toks[i]
}

// open writes s before the operand that begins at token i, shut after the one
// that ends before it. Operands within others come later, so s goes innermost.
func (r *rewriter) open(i int, s string) { r.before[i] = append(r.before[i], s) }
func (r *rewriter) shut(i int, s string) { r.before[i] = append([]string{s}, r.before[i]...) }

func (r *rewriter) token(i int) error {
	tok, last := r.toks[i], r.at(i-1)
	if end := r.sum(i, "~"); r.begins(i) && r.at(end).op("~") {
		r.shown(i, end)
	}
	switch {
	case tok.op("|"):
		return r.filter(i + 1)
	case tok.op("."):
		r.method(i)
	case last.op(".") || last.op("|"):
	case tok.op("%") && last.kind == stringToken:
		return fmt.Errorf("formatting with %% is not supported")
	case tok.name("dict") && r.at(i+1).op("(") && !r.at(i+2).op(")") && !r.at(i+3).op("="):
		return fmt.Errorf("dict of another mapping is not supported")
	case tok.op("~"):
		r.shown(i+1, r.sum(i+1, "~"))
	case tok.name("is"):
		return r.test(i + 1)
	case tok.name("in") && !last.name("is") && !(last.name("not") && r.at(i-2).name("is")):
		// What is searched is taken as it was given; see shadow.go.
		r.open(i+1, "(")
		r.shut(r.sum(i+1, ""), ") | "+r.use("__given"))
	}
	return nil
}

// begins reports whether token i begins an operand that no arithmetic joins to
// one before.
func (r *rewriter) begins(i int) bool {
	tok, last := r.toks[i], r.at(i-1)
	if tok.kind == opToken && !strings.Contains(openers+"-+", tok.text) {
		return false
	}
	switch last.kind {
	case opToken:
		return !strings.Contains(closers+".|", last.text) && !slices.Contains(arithmetic, last.text)
	case nameToken:
		return slices.Contains(keywords, last.text) && !r.at(i-2).op(".")
	}
	return last.kind == noToken
}

// shown makes a string of an operand that ~ joins to another.
func (r *rewriter) shown(from, to int) {
	r.open(from, "(")
	r.shut(to, ") | "+r.use("__show"))
}

// method turns value.name(…) into value|__m_name(…).
func (r *rewriter) method(i int) {
	name := r.at(i + 1)
	if _, ok := methods[name.text]; !ok || name.kind != nameToken || !r.at(i+2).op("(") {
		return
	}
	r.toks[i] = token{opToken, "|"}
	r.toks[i+1].text = r.use("__m_" + name.text)
}

// filter handles the filter whose name is token i.
func (r *rewriter) filter(i int) error {
	name := r.at(i)
	if name.kind != nameToken {
		return fmt.Errorf("filter expected after |")
	}
	if _, ours := filterNamed(name.text); ours {
		r.toks[i].text = r.use("__f_" + name.text)
		return nil
	}
	if !slices.Contains(engineFilters, name.text) {
		return fmt.Errorf("unknown or unsupported filter %q", name.text)
	}
	switch name.text {
	case "safe":
		r.escapeAfter(i + 1)
	case "select", "reject", "selectattr", "rejectattr":
		r.complete(i)
	}
	return nil
}

// complete gives the filter at token i the arguments without which the engine
// would panic.
func (r *rewriter) complete(i int) {
	attr := strings.HasSuffix(r.toks[i].text, "attr")
	open := i + 1
	end, call := r.pairs[open]
	switch args := 0; {
	case !call:
		if !attr {
			r.shut(open, `("")`)
		}
	default:
		args = len(commas(r.toks[open+1 : end]))
		if attr && args == 1 {
			r.shut(end, `, "truthy"`)
		} else if !attr && args == 0 {
			r.shut(end, `""`)
		}
	}
}

// escapeAfter escapes what is added to a safe string, for that is what adding
// to one means in Jinja.
func (r *rewriter) escapeAfter(i int) {
	for r.at(i).op("+") {
		end := r.operand(i + 1)
		if safe := r.at(end-1).name("safe") && r.at(end-2).op("|"); !safe && !r.safe[end] {
			r.safe[end] = true
			r.shut(end, "| "+r.use("__f_escape"))
		}
		i = end
	}
}

// test handles the test that begins at token i. The engine takes arguments in
// brackets only.
func (r *rewriter) test(i int) error {
	if r.at(i).name("not") {
		i++
	}
	name := r.at(i)
	if !slices.Contains(engineTests, name.text) {
		return fmt.Errorf("unknown or unsupported test %q", name.text)
	}
	if name.text == "sequence" { // strings and mappings are some too, which the engine denies
		r.toks[i].text = "iterable"
	}
	next := r.at(i + 1)
	argument := next.kind == stringToken || next.kind == numberToken || next.op("[") || next.op("{") ||
		next.kind == nameToken && !slices.Contains(keywords, next.text)
	if argument {
		r.open(i+1, "(")
		r.shut(r.operand(i+1), ")")
	}
	return nil
}

// operand is the end of the operand that begins at token i: a value with its
// attributes, calls and filters.
func (r *rewriter) operand(i int) int {
	for r.at(i).op("-") || r.at(i).op("+") || r.at(i).name("not") {
		i++
	}
	if end, ok := r.pairs[i]; ok {
		i = end
	}
	for i++; i < len(r.toks); {
		end, bracket := r.pairs[i]
		switch tok := r.toks[i]; {
		case bracket && !tok.op("{"):
			i = end + 1
		case tok.op(".") || tok.op("|"):
			i += 2
		default:
			return i
		}
	}
	return len(r.toks)
}

// keywords stand between operands, and are none.
var keywords = []string{"and", "or", "not", "is", "in", "if", "else"}

var arithmetic = []string{"+", "-", "*", "/", "//", "%", "**", "~"}

// sum is the end of the operands that begin at token i and are joined by
// arithmetic, except one operator.
func (r *rewriter) sum(i int, except string) int {
	end := r.operand(i)
	for tok := r.at(end); tok.kind == opToken && slices.Contains(arithmetic, tok.text) && tok.text != except; tok = r.at(end) {
		end = r.operand(end + 1)
	}
	return end
}

// write joins tokens that need no rewriting.
func write(toks []token) string {
	words := make([]string, len(toks))
	for i, tok := range toks {
		words[i] = literal(tok)
	}
	return strings.Join(words, " ")
}

func literal(tok token) string {
	if tok.kind == stringToken {
		return quote(tok.text)
	}
	return tok.text
}

var quoter = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

// quote writes a string literal that the engine reads back as it is.
func quote(s string) string { return `"` + quoter.Replace(s) + `"` }
