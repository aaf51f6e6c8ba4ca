package tokenizer

// Patterns that tell upper from lower case or signs from letters: those of
// OpenAI's o200k vocabulary, of Mistral's tekken and of DeepSeek V3.

const (
	upperish = upper | uncased | mark // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
	lowerish = lower | uncased | mark // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
)

// cased is, with U and L the two classes above and C the contractions of words,
//
//	[^\r\n\p{L}\p{N}]?U*L+C?|[^\r\n\p{L}\p{N}]?U+L*C?|\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// where C is left out unless contractions is set.
func cased(digits int, contractions bool) stage {
	return func(s string) int {
		if n := casedWord(s); n > 0 {
			if contractions && n < len(s) {
				n += contraction(s[n:], true)
			}
			return n
		}
		if n := skipDigits(s, digits); n > 0 {
			return n
		}
		if n := signs(s, 0, "\r\n/"); n > 0 {
			return n
		}
		return lines(s)
	}
}

// casedWord is [^\r\n\p{L}\p{N}]?U*L+|[^\r\n\p{L}\p{N}]?U+L*, or 0. It tries the ways to match in the order
// of a backtracking engine: an optional sign is taken before it is not.
func casedWord(s string) int {
	c, n := classAt(s, 0)
	sign := c&(letter|number) == 0 && !newline(s[0]) && n < len(s)
	if sign {
		if end := upperLower(s, n); end > 0 {
			return end
		}
	}
	if end := upperLower(s, 0); end > 0 {
		return end
	}
	if sign {
		if end := skip(s, n, upperish); end > n {
			return end
		}
	}
	return skip(s, 0, upperish)
}

// upperLower is the end of U*L+ from i on, or 0. U* takes all it can; if no
// lower case follows, it gives back up to the last character that is in L too.
func upperLower(s string, i int) int {
	shared := 0
	for i < len(s) {
		c, n := classAt(s, i)
		if c&upperish == 0 {
			break
		}
		i += n
		if c&lowerish != 0 {
			shared = i
		}
	}
	if end := skip(s, i, lower); end > i {
		return skip(s, end, lowerish)
	}
	return shared
}

// deepseek3 is
//
//	[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// What it does not match, such as numbers, it leaves in one piece.
var deepseek3 = isolate(func(s string) int {
	const sign = punct | symbol
	c, n := classAt(s, 0)
	if n == 1 && c&sign != 0 && len(s) > 1 && asciiLetter(s[1]) {
		i := 2
		for i < len(s) && asciiLetter(s[i]) {
			i++
		}
		return i
	}
	if c&(letter|mark) != 0 {
		return skip(s, n, letter|mark)
	}
	if c&sign == 0 && !newline(s[0]) && n < len(s) {
		if next, m := classAt(s, n); next&(letter|mark) != 0 {
			return skip(s, n+m, letter|mark)
		}
	}
	if n := deepseekSigns(s, sign); n > 0 {
		return n
	}
	if c&space != 0 {
		return lines(s)
	}
	return 0
})

// deepseekSigns is " ?[\p{P}\p{S}]+[\r\n]*", or 0.
func deepseekSigns(s string, sign class) int {
	i := 0
	if s[0] == ' ' {
		i = 1
	}
	end := skip(s, i, sign)
	if end == i {
		return 0
	}
	for end < len(s) && newline(s[end]) {
		end++
	}
	return end
}

func asciiLetter(b byte) bool { b |= 0x20; return 'a' <= b && b <= 'z' }
