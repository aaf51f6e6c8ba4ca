package text

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed words.txt
var wordsFile string

// table has rows of columns, the first of which is what its name stands for.
type table struct {
	columns []string
	rows    [][]string
}

var tables = readTables(wordsFile)

func readTables(file string) map[string]*table {
	all := map[string]*table{}
	var t *table
	for line := range lines(file) {
		head, ok := strings.CutPrefix(line, "== ")
		if ok {
			names := strings.Fields(head)
			t = &table{columns: names[1:]}
			all[names[0]] = t
			continue
		}
		t.add(split(line, '|'))
	}
	return all
}

// add takes a line: a row, or, where there is one column only, many.
func (t *table) add(cells []string) {
	switch {
	case len(t.columns) == 0:
		for _, c := range cells {
			t.rows = append(t.rows, []string{c})
		}
	case len(cells) != 1+len(t.columns):
		panic(fmt.Sprintf("text: a row of %d columns: %q", len(cells), cells))
	default:
		t.rows = append(t.rows, cells)
	}
}

func (t *table) column(name string) int {
	if name == "" || name == "name" {
		return 0
	}
	for i, c := range t.columns {
		if c == name {
			return i + 1
		}
	}
	panic("text: no column " + name)
}

// lines are those that say something.
func lines(file string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(file) {
			line = strings.TrimSpace(line)
			if line != "" && !strings.HasPrefix(line, "# ") && !yield(line) {
				return
			}
		}
	}
}

// split cuts where sep stands outside of brackets.
func split(s string, sep byte) (parts []string) {
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case sep:
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:])
}

// matching is where the bracket closes that s begins with.
func matching(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	panic("text: a bracket is not closed: " + s)
}
