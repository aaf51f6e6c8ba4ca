package tokenizer

// Span is a stretch [Start,End) of bytes in a text.
type Span struct{ Start, End int }

// trie finds the longest of many tokens that begins a text. It is a tree of
// bytes, each node linked to its first child and its next sibling, which is
// small and fast enough because few bytes of a text go beyond the root.
type trie struct {
	root  [256]int32 // nodes, or 0
	nodes []trieNode // of which the first is not used
}

type trieNode struct {
	id             int32 // of the token that ends here, or -1
	child, sibling int32 // nodes, or 0
	b              byte
}

func (t *trie) add(token string, id int32) {
	if token == "" {
		return
	}
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, trieNode{})
	}
	at := &t.root[token[0]]
	for i := range len(token) {
		b := token[i]
		n := *at
		for n != 0 && t.nodes[n].b != b {
			at = &t.nodes[n].sibling
			n = *at
		}
		if n == 0 {
			n = int32(len(t.nodes))
			*at = n
			t.nodes = append(t.nodes, trieNode{id: -1, b: b})
		}
		if i == len(token)-1 {
			if t.nodes[n].id < 0 {
				t.nodes[n].id = id
			}
			return
		}
		at = &t.nodes[n].child
	}
}

// match returns the longest token that begins s, and its length, or -1 and 0.
func (t *trie) match(s string) (id int32, length int) {
	id = -1
	if s == "" {
		return id, 0
	}
	n := t.root[s[0]]
	for i := 0; n != 0; {
		node := &t.nodes[n]
		if node.b != s[i] {
			n = node.sibling
			continue
		}
		i++
		if node.id >= 0 {
			id, length = node.id, i
		}
		if i == len(s) {
			break
		}
		n = node.child
	}
	return id, length
}

// specials finds the tokens that are taken out of a text before it is cut into
// pieces: user-defined ones in any text, because they are text that is never
// taken apart, and control tokens in trusted text only.
type specials struct {
	text    trie // user-defined
	trusted trie // user-defined, control, marker and unknown
	strip   []bool
}

// newSpecials takes tokens as they are spelled. After the tokens of strip
// white space is dropped; it may be nil.
func newSpecials(tokens []string, kinds []kind, strip []bool) *specials {
	s := &specials{strip: strip}
	for id, token := range tokens {
		switch kinds[id] {
		case userDefined:
			s.text.add(token, int32(id))
			fallthrough
		case control, marker, unknown:
			s.trusted.add(token, int32(id))
		}
	}
	return s
}

// parts takes the parts of a text, in order.
type parts interface {
	token(id int32)
	text(s string) // which is not empty
}

// walk cuts a text at its special tokens.
func (s *specials) walk(text string, in trust, out parts) {
	for i := 0; i < len(text); {
		id, start, end := s.next(text, i, &in)
		if i < start {
			out.text(text[i:start])
		}
		if id >= 0 {
			out.token(id)
		}
		i = end
	}
}

// next finds the first special token of text from i on: the longest at the
// leftmost place. Control tokens are recognised where trusted says so. It returns start
// len(text) where there is none.
func (s *specials) next(text string, i int, in *trust) (id int32, start, end int) {
	root := &s.trusted.root // which has all of the other's
	if !in.any {
		root = &s.text.root
	}
	for ; i < len(text); i++ {
		if root[text[i]] == 0 {
			continue
		}
		id, n := s.trusted.match(text[i:max(i, in.until(i))])
		if own, m := s.text.match(text[i:]); m > n {
			id, n = own, m
		}
		if n > 0 {
			return id, i, s.stripped(text, id, i+n, in)
		}
	}
	return -1, len(text), len(text)
}

// stripped returns end, or behind the white space that follows in trusted text.
func (s *specials) stripped(text string, id int32, end int, in *trust) int {
	if s.strip != nil && s.strip[id] {
		for limit := in.until(end); end < limit && asciiClass[text[end]&0x7f]&space != 0 && text[end] < 0x80; {
			end++
		}
	}
	return end
}

// trust knows which bytes of a text may be read as control tokens: all but
// those in data. It is asked for ascending positions.
type trust struct {
	any  bool   // else none
	data []Span // ascending
	end  int    // of the text
}

// until returns the end of the trusted stretch that i lies in, or a position
// that is not behind i.
func (t *trust) until(i int) int {
	if !t.any {
		return 0
	}
	for len(t.data) > 0 && t.data[0].End <= i {
		t.data = t.data[1:]
	}
	if len(t.data) > 0 {
		return t.data[0].Start
	}
	return t.end
}
