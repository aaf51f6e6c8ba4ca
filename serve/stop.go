package serve

import "strings"

// stopper cuts a text at the first stop string. It sees the text in pieces of
// any size and lets through only what can no longer become part of a stop
// string, so that nothing of one is ever sent, and the result does not depend
// on where the pieces were cut.
type stopper struct {
	stops   []string
	include bool   // let the stop string itself through
	held    string // the longest end of the text that begins a stop string
}

// push takes more text and returns what may be sent of it; hit says that a
// stop string is complete. Of several, the one that ends first counts, and of
// those the longest.
func (s *stopper) push(text string) (out string, hit bool) {
	text = s.held + text
	s.held = ""
	if start, end := s.find(text); end > 0 {
		if s.include {
			return text[:end], true
		}
		return text[:start], true
	}
	n := len(text) - s.partial(text)
	s.held = text[n:]
	return text[:n], false
}

// flush returns what was held back, at the end of the text.
func (s *stopper) flush() string {
	out := s.held
	s.held = ""
	return out
}

// find returns the stretch of the first stop string to end in text, or 0, 0.
func (s *stopper) find(text string) (start, end int) {
	for _, stop := range s.stops {
		i := strings.Index(text, stop)
		if stop == "" || i < 0 {
			continue
		}
		if e := i + len(stop); end == 0 || e < end || e == end && i < start {
			start, end = i, e
		}
	}
	return start, end
}

// partial returns the length of the longest end of text that a stop string
// begins with.
func (s *stopper) partial(text string) int {
	longest := 0
	for _, stop := range s.stops {
		for n := min(len(stop)-1, len(text)); n > longest; n-- {
			if strings.HasSuffix(text, stop[:n]) {
				longest = n
			}
		}
	}
	return longest
}
