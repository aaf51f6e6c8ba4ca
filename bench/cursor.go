package bench

import (
	"bytes"
	"encoding/json"
)

// cursor walks JSON without building anything. It checks what it must to find
// its way, not every rule of the grammar; what is cut short is always noticed.
// Once bad, it moves no more.
type cursor struct {
	b     []byte
	i     int
	depth int
	bad   bool
}

// deepest is how many values may lie within each other.
const deepest = 100

// object calls member for each key, which must consume the value.
func (c *cursor) object(member func(key []byte)) {
	c.list('{', '}', func() {
		key := c.raw()
		c.expect(':')
		member(key)
	})
}

// array calls element for each value, which must consume it.
func (c *cursor) array(element func()) { c.list('[', ']', element) }

func (c *cursor) list(open, end byte, item func()) {
	c.expect(open)
	if c.depth++; c.depth > deepest {
		c.bad = true
	}
	for first := true; !c.bad; first = false {
		if c.peek() == end {
			c.i++
			break
		}
		if !first {
			c.expect(',')
		}
		item()
	}
	c.depth--
}

// value passes over a value and returns its bytes.
func (c *cursor) value() []byte {
	first := c.peek()
	start := c.i
	switch first {
	case '{':
		c.object(func([]byte) { c.value() })
	case '[':
		c.array(func() { c.value() })
	case '"':
		c.raw()
	default:
		c.word()
	}
	if c.bad {
		return nil
	}
	return c.b[start:c.i]
}

// text reads a string; null and other values are no text.
func (c *cursor) text() string {
	if c.peek() != '"' {
		c.value()
		return ""
	}
	start := c.i
	raw := c.raw()
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	var s string
	if err := json.Unmarshal(c.b[start:c.i], &s); err != nil {
		c.bad = true
	}
	return s
}

// raw passes over a string and returns what is between its quotes.
func (c *cursor) raw() []byte {
	c.expect('"')
	start := c.i
	for !c.bad {
		n := bytes.IndexAny(c.b[c.i:], `"\`)
		if n < 0 {
			break
		}
		c.i += n + 1
		if c.b[c.i-1] == '"' {
			return c.b[start : c.i-1]
		}
		c.i++ // what the backslash escapes
		if c.i > len(c.b) {
			break
		}
	}
	c.bad = true
	return nil
}

// word passes over a number, true, false or null.
func (c *cursor) word() {
	start := c.i
	for c.i < len(c.b) && (c.b[c.i] == '-' || c.b[c.i] == '+' || c.b[c.i] == '.' || alphanumeric(c.b[c.i])) {
		c.i++
	}
	if c.i == start || c.i == len(c.b) {
		c.bad = true
	}
}

func alphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// expect passes over one byte that must come next.
func (c *cursor) expect(b byte) {
	if c.peek() != b {
		c.bad = true
		return
	}
	c.i++
}

// peek returns the byte that comes next after spaces, 0 at the end.
func (c *cursor) peek() byte {
	c.space()
	if c.bad || c.i >= len(c.b) {
		c.bad = true
		return 0
	}
	return c.b[c.i]
}

func (c *cursor) space() {
	for c.i < len(c.b) && (c.b[c.i] == ' ' || c.b[c.i] == '\t' || c.b[c.i] == '\r' || c.b[c.i] == '\n') {
		c.i++
	}
}
