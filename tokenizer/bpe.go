package tokenizer

import (
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// BPE is a byte-level byte-pair encoding, as GPT-2 introduced it: a
// pre-tokenizer cuts text into words, and the bytes of each word are merged,
// pair by pair, in the order in which merges were learned. Every text can be
// encoded, because every byte is a token.
//
// Text that is not UTF-8 is encoded with U+FFFD for each byte that is in no
// character; the models never saw such bytes. So decoding gives back all valid
// text exactly. BPE is safe for many goroutines at once.
type BPE struct {
	vocabulary
	*specials
	pre    pretokenizer
	byteID [256]int32
	merges map[pair]merge
	// whole has a bit for each id that is what merging its own bytes gives. Bits are set as words are met: most
	// words of a text are one token, and their bits spare the merging.
	whole   []atomic.Uint32
	scratch sync.Pool // of *bpeWork
}

type pair struct{ left, right int32 }

type merge struct {
	rank uint32
	id   int32
}

// bpeWork is what one call of Encode needs.
type bpeWork struct {
	symbols
	t    *BPE
	dst  []int32
	word func(string) // encode, made once
}

func newBPE(m *metadata) (*BPE, error) {
	pre, err := m.pretokenizer()
	if err != nil {
		return nil, err
	}
	m.markers()
	stops := m.stopIDs(append(m.moreEnds, m.eos, m.eot, m.eom)...)
	t := &BPE{pre: pre}
	t.vocabulary = newVocabulary(m.tokens, m.kinds, func(b []byte, id int) ([]byte, bool) {
		if m.kinds[id] != normal {
			return append(b, m.tokens[id]...), false
		}
		return appendByteLevel(b, m.tokens[id])
	})
	t.specials = newSpecials(m.tokens, m.kinds, nil)
	t.stops = stops
	if err := m.ends(&t.vocabulary, pre.bos); err != nil {
		return nil, err
	}
	if t.merges, err = m.mergeTable(&t.vocabulary, appendByteLevel); err != nil {
		return nil, err
	}
	t.whole = make([]atomic.Uint32, len(m.tokens)/32+1)
	t.scratch.New = func() any {
		w := &bpeWork{t: t}
		w.word = w.encode
		return w
	}
	for b := range t.byteID {
		id, ok := t.ids[string([]byte{byte(b)})]
		if !ok {
			id = -1 // a file that lacks a byte, which is left out of texts
		}
		t.byteID[b] = id
	}
	return t, nil
}

// mergeTable reads the merges; spell appends the bytes that a part of one stands for.
func (m *metadata) mergeTable(v *vocabulary, spell func([]byte, string) ([]byte, bool)) (map[pair]merge, error) {
	const key = "tokenizer.ggml.merges"
	if len(m.merges) == 0 {
		return nil, m.wrong(key, "missing or empty")
	}
	table := make(map[pair]merge, len(m.merges))
	var b []byte
	for rank, line := range m.merges {
		left, right, ok := cutMerge(line)
		b, _ = spell(b[:0], left)
		n := len(b)
		b, _ = spell(b, right)
		first, ok1 := v.ids[string(b[:n])]
		second, ok2 := v.ids[string(b[n:])]
		id, ok3 := v.ids[string(b)]
		if !ok || !ok1 || !ok2 || !ok3 {
			return nil, m.wrong(key, "%q is not of two tokens that make a third", line)
		}
		p := pair{first, second}
		if _, twice := table[p]; !twice {
			table[p] = merge{uint32(rank), id}
		}
	}
	return table, nil
}

// cutMerge cuts "left right" at its first space, not counting one that begins it.
func cutMerge(line string) (left, right string, ok bool) {
	if line == "" {
		return "", "", false
	}
	i := strings.IndexByte(line[1:], ' ') + 1
	return line[:i], line[i+1:], i > 0
}

// Encode appends the ids of text to dst. Control tokens spelled out in text stay text.
func (t *BPE) Encode(dst []int32, text string) []int32 {
	return t.run(dst, text, trust{})
}

// EncodeSpecial is Encode for trusted text, in which control tokens become their ids.
func (t *BPE) EncodeSpecial(dst []int32, text string) []int32 {
	return t.run(dst, text, trust{any: true, end: len(text)})
}

func (t *BPE) encodeMixed(dst []int32, text string, data []Span) []int32 {
	return t.run(dst, text, trust{any: true, data: data, end: len(text)})
}

func (t *BPE) run(dst []int32, text string, in trust) []int32 {
	w := t.scratch.Get().(*bpeWork)
	w.dst = dst
	t.walk(text, in, w)
	dst, w.dst = w.dst, nil
	if w.small() {
		t.scratch.Put(w)
	}
	return dst
}

func (w *bpeWork) token(id int32) { w.dst = append(w.dst, id) }

// text appends the ids of what lies between special tokens.
func (w *bpeWork) text(s string) {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	split(w.t.pre.stages, s, w.word)
}

// encode appends the ids of one word.
func (w *bpeWork) encode(s string) {
	t := w.t
	id, known := int32(-1), false
	if len(s) <= t.longest {
		if id, known = t.ids[s]; known && (t.pre.whole || t.isWhole(id)) {
			w.dst = append(w.dst, id)
			return
		}
	}
	w.reset()
	for i := range len(s) {
		if b := t.byteID[s[i]]; b >= 0 {
			w.add(b, i)
		}
	}
	w.end(len(s))
	w.merge(t)
	if known && len(w.id) == 1 && w.id[0] == id {
		t.whole[id/32].Or(1 << (id % 32))
	}
	w.dst = append(w.dst, w.id...)
}

func (t *BPE) isWhole(id int32) bool { return t.whole[id/32].Load()>>(id%32)&1 != 0 }

func (t *BPE) lookup(s *symbols, i, j, _ int32) (uint32, int32) {
	m, ok := t.merges[pair{s.id[i], s.id[j]}]
	if !ok {
		return noRank, -1
	}
	return m.rank, m.id
}

// Decode appends the text of ids to dst. Control, unknown and unused tokens have none.
func (t *BPE) Decode(dst []byte, ids ...int32) []byte {
	for _, id := range ids {
		dst = append(dst, t.visible(id)...)
	}
	return dst
}
