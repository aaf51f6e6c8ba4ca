package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The stages in this file isolate what matches a pattern: where the pattern
// does not match at the beginning of the text, the piece is all that comes
// before its next match.

// isolate cuts out the matches of match, which returns the length of a match
// at the beginning of s, or 0. Whatever match looks at beyond one character
// must belong to the match, or the search is not linear.
func isolate(match func(s string) int) stage {
	return func(s string) int {
		if n := match(s); n > 0 {
			return n
		}
		i := 0
		for i < len(s) {
			i += width(s[i:])
			if i < len(s) && match(s[i:]) > 0 {
				break
			}
		}
		return i
	}
}

func width(s string) int {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// digits isolates \p{N}{1,max}.
func digits(max int) stage {
	return func(s string) int {
		if n := skipDigits(s, max); n > 0 {
			return n
		}
		return skipNot(s, 0, number)
	}
}

// threeDigits isolates [0-9][0-9][0-9].
var threeDigits = isolate(func(s string) int {
	for i := range 3 {
		if i >= len(s) || s[i] < '0' || s[i] > '9' {
			return 0
		}
	}
	return 3
})

// lineBreaks isolates [\r\n].
var lineBreaks = isolate(func(s string) int {
	if newline(s[0]) {
		return 1
	}
	return 0
})

// trailingSpace isolates \s+$.
func trailingSpace(s string) int {
	if n := len(strings.TrimRightFunc(s, unicode.IsSpace)); n > 0 {
		return n
	}
	return len(s)
}

// runs isolates in+, and with lead \s?in+.
func runs(lead bool, in func(r rune, c class) bool) stage {
	return isolate(func(s string) int {
		i := 0
		if lead {
			if c, n := classAt(s, 0); c&space != 0 {
				i = n
			}
		}
		start := i
		for i < len(s) {
			r, n := utf8.DecodeRuneInString(s[i:])
			c, _ := classAt(s, i)
			if !in(r, c) {
				break
			}
			i += n
		}
		if i == start && start > 0 { // the space may be of the run itself
			if r, _ := utf8.DecodeRuneInString(s); !in(r, space) {
				return 0
			}
		}
		return i
	})
}

// has is the test for runs of the characters of a class.
func has(set class) func(rune, class) bool {
	return func(_ rune, c class) bool { return c&set != 0 }
}

// falconPunct is [\p{P}\$\+<=>\^~\|`]; all of ASCII's symbols are in it.
func falconPunct(r rune, c class) bool {
	return c&punct != 0 || r < utf8.RuneSelf && c&symbol != 0
}

// eastAsian is [一-龥ࠀ-一가-퟿] as DeepSeek's first tokenizers have it: everything from U+0800
// to U+9FA5, and U+AC00 to U+D7FF.
func eastAsian(r rune, _ class) bool {
	return 0x0800 <= r && r <= 0x9fa5 || 0xac00 <= r && r <= 0xd7ff
}

// kanaHan is [一-龥぀-ゟ゠-ヿ].
func kanaHan(r rune, _ class) bool {
	return 0x4e00 <= r && r <= 0x9fa5 || 0x3040 <= r && r <= 0x30ff
}

// deepseekPunct is [!-/:-~！-／：-～‘-‟　-。]. The second range holds ASCII's letters too.
func deepseekPunct(r rune, _ class) bool {
	switch {
	case r < utf8.RuneSelf:
		return '!' <= r && r <= '/' || ':' <= r && r <= '~'
	case r >= 0xff01:
		return r <= 0xff0f || 0xff1a <= r && r <= 0xff5e
	}
	return 0x2018 <= r && r <= 0x201f || 0x3000 <= r && r <= 0x3002
}

// deepseekLetter is the list of cased letters that DeepSeek LLM's tokenizer spells out: those of
// Unicode without some younger or rarer blocks.
func deepseekLetter(r rune, c class) bool {
	return c&(upper|lower) != 0 && !unicode.Is(deepseekOmits, r)
}

var deepseekOmits = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0560, Hi: 0x0588, Stride: 1}, // Armenian small letters
		{Lo: 0x10c7, Hi: 0x10ff, Stride: 1}, // Georgian
		{Lo: 0x1c80, Hi: 0x1c8f, Stride: 1}, // Cyrillic Extended-C
		{Lo: 0x2d00, Hi: 0x2d2d, Stride: 1}, // Georgian Supplement
		{Lo: 0xa790, Hi: 0xa7ff, Stride: 1}, // Latin Extended-D
		{Lo: 0xab30, Hi: 0xab6f, Stride: 1}, // Latin Extended-E
	},
	R32: []unicode.Range32{
		{Lo: 0x10570, Hi: 0x105bf, Stride: 1}, // Vithkuqi
		{Lo: 0x10d50, Hi: 0x10d8f, Stride: 1}, // Garay
		{Lo: 0x16e40, Hi: 0x16e7f, Stride: 1}, // Medefaidrin
		{Lo: 0x1d400, Hi: 0x1d7ff, Stride: 1}, // mathematical letters
		{Lo: 0x1df00, Hi: 0x1dfff, Stride: 1}, // Latin Extended-G
	},
}
