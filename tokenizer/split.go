package tokenizer

import "strings"

// A stage cuts text into pieces: it returns the length of the piece that
// begins s, which is not empty and lies in (0,len(s)]. A pre-tokenizer is a
// sequence of stages, each of which cuts the pieces of the one before it; the
// end of such a piece is an end of text to the next stage.
//
// The stages stand for regular expressions that the model makers publish and
// that backtracking engines run. Here each is a scanner that looks at a
// character once or twice, so that no text takes more than linear time.
type stage func(s string) int

// split calls word for every piece that the stages cut s into, in order.
func split(stages []stage, s string, word func(string)) {
	if len(stages) == 0 {
		word(s)
		return
	}
	for s != "" {
		n := stages[0](s)
		split(stages[1:], s[:n], word)
		s = s[n:]
	}
}

// gpt2 is 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func gpt2(s string) int {
	if n := contraction(s, false); n > 0 {
		return n
	}
	i := 0
	if s[0] == ' ' && len(s) > 1 {
		i = 1
	}
	switch c, n := classAt(s, i); {
	case c&letter != 0:
		return skip(s, i+n, letter)
	case c&number != 0:
		return skip(s, i+n, number)
	case c&space == 0:
		return skipNot(s, i+n, letter|number|space)
	}
	return spaces(s)
}

// words is
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?W+|\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// with W the class of letters, which may contain marks.
func words(w class, digits int) stage {
	return func(s string) int {
		if n := contraction(s, true); n > 0 {
			return n
		}
		c, n := classAt(s, 0)
		switch {
		case c&w != 0:
			return skip(s, n, w)
		case c&number != 0:
			return skipDigits(s, digits)
		case !newline(s[0]) && n < len(s):
			if next, m := classAt(s, n); next&w != 0 {
				return skip(s, n+m, w)
			}
		}
		if n := signs(s, w, "\r\n"); n > 0 {
			return n
		}
		return lines(s)
	}
}

// signs is the length of " ?[^\s\p{L}\p{N}]+" with trailing characters of tail, or 0.
// The letters may be wider than \p{L}.
func signs(s string, letters class, tail string) int {
	i := 0
	if s[0] == ' ' && len(s) > 1 {
		i = 1
	}
	const rest = letter | number | space
	if c, _ := classAt(s, i); c&(rest|letters) != 0 {
		return 0
	}
	i = skipNot(s, i, rest|letters)
	for i < len(s) && strings.IndexByte(tail, s[i]) >= 0 {
		i++
	}
	return i
}

// lines is \s*[\r\n]+|\s+(?!\S)|\s+ for text that begins with white space.
func lines(s string) int {
	end, last := 0, 0 // of the white space; behind its last line break
	for end < len(s) {
		c, n := classAt(s, end)
		if c&space == 0 {
			break
		}
		end += n
		if newline(s[end-1]) {
			last = end
		}
	}
	if last > 0 {
		return last
	}
	return spaces(s)
}

// spaces is \s+(?!\S)|\s+ for text that begins with white space: the last
// space before a word is left to the word. Whatever else begins s, such as a
// character that no alternative of a pattern takes, is a piece of its own.
func spaces(s string) int {
	end, last := 0, 0 // of the white space; where its last character begins
	for end < len(s) {
		c, n := classAt(s, end)
		if c&space == 0 {
			break
		}
		last, end = end, end+n
	}
	switch {
	case end == 0:
		_, n := classAt(s, 0)
		return n
	case end < len(s) && last > 0:
		return last
	}
	return end
}

func newline(b byte) bool { return b == '\r' || b == '\n' }

// contraction is the length of 's|'t|'re|'ve|'m|'ll|'d at the beginning of s, or 0.
func contraction(s string, fold bool) int {
	if s[0] != '\'' || len(s) < 2 {
		return 0
	}
	bit := byte(0)
	if fold {
		bit = 0x20 // upper case ASCII differs in this bit; no other byte becomes one of these letters by it
	}
	switch a := s[1] | bit; a {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v', 'l':
		if len(s) < 3 {
			return 0
		}
		if b := s[2] | bit; a == 'l' && b == 'l' || a != 'l' && b == 'e' {
			return 3
		}
	}
	return 0
}

// skipDigits is the length of \p{N}{1,max} where s begins with a number.
func skipDigits(s string, max int) int {
	i := 0
	for ; max > 0 && i < len(s); max-- {
		c, n := classAt(s, i)
		if c&number == 0 {
			break
		}
		i += n
	}
	return i
}
