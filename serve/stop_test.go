package serve

import (
	"strings"
	"testing"
)

func TestStopper(t *testing.T) {
	for _, c := range []struct {
		name   string
		stops  []string
		pieces []string
		want   string
		hit    bool
	}{
		{"none", nil, []string{"ab", "c"}, "abc", false},
		{"empty stop string", []string{""}, []string{"abc"}, "abc", false},
		{"across pieces", []string{"DEFGHIJ"}, []string{"DEF", "G", "HI", "J"}, "", true},
		{"inside a piece", []string{"DE"}, []string{"DEF"}, "", true},
		{"text before", []string{"END"}, []string{"one E", "N", "D two"}, "one ", true},
		{"false start", []string{"END"}, []string{"EN", "ENx"}, "ENENx", false},
		{"false start, then hit", []string{"aab"}, []string{"a", "a", "a", "b"}, "a", true},
		{"ends first", []string{"abcd", "bc"}, []string{"xabcd"}, "xa", true},
		{"longest of those that end together", []string{"bc", "abc"}, []string{"xabc"}, "x", true},
		{"held to the end", []string{"###"}, []string{"a#", "#"}, "a##", false},
		{"less-than in prose", []string{"</s>"}, []string{"a < b and <D"}, "a < b and <D", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := stopper{stops: c.stops}
			got, hit := feedAll(&s, c.pieces)
			if got != c.want || hit != c.hit {
				t.Errorf("got %q, %v; want %q, %v", got, hit, c.want, c.hit)
			}
		})
	}
}

func TestStopperIncludes(t *testing.T) {
	s := stopper{stops: []string{"END"}, include: true}
	if got, hit := feedAll(&s, []string{"a E", "NDb"}); got != "a END" || !hit {
		t.Errorf("got %q, %v", got, hit)
	}
}

func feedAll(s *stopper, pieces []string) (string, bool) {
	var b strings.Builder
	for _, p := range pieces {
		out, hit := s.push(p)
		b.WriteString(out)
		if hit {
			return b.String(), true
		}
	}
	b.WriteString(s.flush())
	return b.String(), false
}

// FuzzStopper: the text let through does not depend on the cuts, never contains
// a whole stop string, and is the text up to the stop string that ends first.
func FuzzStopper(f *testing.F) {
	f.Add("xabcd", "bc", "abcd", uint64(5))
	f.Add("aaab", "aab", "", uint64(1))
	f.Fuzz(func(t *testing.T, text, a, b string, cuts uint64) {
		stops := []string{a, b}
		var pieces []string
		rest := text
		for ; cuts > 0 && rest != ""; cuts >>= 3 {
			n := min(int(cuts&7), len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		pieces = append(pieces, rest)
		got, hit := feedAll(&stopper{stops: stops}, pieces)
		whole, wholeHit := feedAll(&stopper{stops: stops}, []string{text})
		if got != whole || hit != wholeHit {
			t.Fatalf("in pieces %q: %q, %v; whole: %q, %v", pieces, got, hit, whole, wholeHit)
		}
		if !strings.HasPrefix(text, got) || !hit && got != text {
			t.Fatalf("%q is not the text %q before a stop string", got, text)
		}
		for _, s := range stops {
			if s != "" && strings.Contains(got, s) {
				t.Fatalf("%q contains the stop string %q", got, s)
			}
		}
	})
}
