package text

import (
	"regexp"
	"strings"
)

var (
	article  = regexp.MustCompile(`\b([Aa])n? (["“]?)([A-Za-z]+)`)
	sentence = regexp.MustCompile(`(^|[.!?]"? |[.!?] "|\n)("?)([a-z])`)
	spaces   = regexp.MustCompile(` +`)
)

// polish makes "a" or "an" of articles and capitals where sentences begin.
func polish(s string) string {
	s = strings.TrimSpace(spaces.ReplaceAllString(s, " "))
	s = strings.NewReplacer(`?".`, `?"`, `!".`, `!"`).Replace(s)
	s = article.ReplaceAllStringFunc(s, func(m string) string {
		p := article.FindStringSubmatch(m)
		if vowel(p[3]) {
			return p[1] + "n " + p[2] + p[3]
		}
		return p[1] + " " + p[2] + p[3]
	})
	return sentence.ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasPrefix(m, `!" `) || strings.HasPrefix(m, `?" `) { // "Who?" asked the fox
			return m
		}
		return m[:len(m)-1] + strings.ToUpper(m[len(m)-1:])
	})
}

// vowel reports whether a word begins with the sound of one.
func vowel(word string) bool {
	word = strings.ToLower(word)
	for _, p := range []string{"uni", "one", "once", "eu", "use"} {
		if strings.HasPrefix(word, p) {
			return false
		}
	}
	return strings.HasPrefix(word, "hour") || strings.ContainsRune("aeiou", rune(word[0]))
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// mass are nouns that have no article in the singular.
var mass = regexp.MustCompile(`(^| )(bread|soup|honey|cheese|rice|jam|salad|pizza|fish|toast)$|[^s]s$`)

func withArticle(noun string) string {
	if mass.MatchString(noun) {
		return "some " + noun
	}
	return "a " + noun
}
