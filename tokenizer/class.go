package tokenizer

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is a set of Unicode general categories, as many as the pre-tokenizer
// patterns distinguish. A character has at most one bit; assigned characters of
// no listed category (controls, formats) and unassigned ones have none.
type class uint8

const (
	upper   class = 1 << iota // Lu, Lt
	lower                     // Ll
	uncased                   // Lm, Lo
	mark                      // M
	number                    // N
	space                     // White_Space, which is no category and goes before the others
	punct                     // P
	symbol                    // S

	letter = upper | lower | uncased
)

// classTable has the class of every character. Most blocks of 256 characters
// are equal to another one, so the table has two levels and takes 60 kB instead
// of a megabyte.
type classTable struct {
	block   [(unicode.MaxRune + 1) / 256]uint16
	classes [][256]class
}

// asciiClass is what most text needs: no locks, no levels.
var asciiClass = func() (t [utf8.RuneSelf]class) {
	for _, set := range classSets() {
		for r := range rune(utf8.RuneSelf) {
			if unicode.Is(set.table, r) {
				t[r] = set.class
			}
		}
	}
	return t
}()

// unicodeClass is built when the first character beyond ASCII is met.
var unicodeClass = sync.OnceValue(newClassTable)

type classSet struct {
	table *unicode.RangeTable
	class class
}

// classSets is in the order in which later sets overrule earlier ones.
func classSets() []classSet {
	return []classSet{
		{unicode.Lu, upper}, {unicode.Lt, upper}, {unicode.Ll, lower}, {unicode.Lm, uncased}, {unicode.Lo, uncased},
		{unicode.M, mark}, {unicode.N, number}, {unicode.P, punct}, {unicode.S, symbol}, {unicode.White_Space, space},
	}
}

func newClassTable() *classTable {
	flat := make([][256]class, (unicode.MaxRune+1)/256)
	for _, set := range classSets() {
		eachRune(set.table, func(r rune) { flat[r/256][r%256] = set.class })
	}
	t := &classTable{}
	seen := map[[256]class]uint16{}
	for i, block := range flat {
		n, ok := seen[block]
		if !ok {
			n = uint16(len(t.classes))
			seen[block] = n
			t.classes = append(t.classes, block)
		}
		t.block[i] = n
	}
	return t
}

func eachRune(t *unicode.RangeTable, f func(rune)) {
	for _, r := range t.R16 {
		for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
			f(c)
		}
	}
	for _, r := range t.R32 {
		for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
			f(c)
		}
	}
}

// classAt returns the class of the character that begins at s[i], and its length.
func classAt(s string, i int) (class, int) {
	if c := s[i]; c < utf8.RuneSelf {
		return asciiClass[c], 1
	}
	return wideClassAt(s, i)
}

func wideClassAt(s string, i int) (class, int) {
	r, n := utf8.DecodeRuneInString(s[i:])
	t := unicodeClass()
	return t.classes[t.block[r>>8]][r&255], n
}

// skip returns the end of the run of characters from s[i] on that are in set.
func skip(s string, i int, set class) int {
	for i < len(s) {
		c, n := classAt(s, i)
		if c&set == 0 {
			break
		}
		i += n
	}
	return i
}

// skipNot returns the end of the run of characters from s[i] on that are not in set.
func skipNot(s string, i int, set class) int {
	for i < len(s) {
		c, n := classAt(s, i)
		if c&set != 0 {
			break
		}
		i += n
	}
	return i
}
