package tokenizer

import (
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// SPM is a byte-pair encoding in the manner of SentencePiece: the characters of
// a text are merged, without a pre-tokenizer that keeps words apart, and spaces
// are characters like others. A character that is in no token is spelled by its
// bytes, if the vocabulary has all of them, and otherwise is the unknown token.
//
// Most files merge the pair whose token has the best score (models of kind
// "llama": Llama 2, Mistral, Phi-3, Gemma to Gemma 3); Gemma 4 and files without scores have a list of
// merges. Many want a dummy space before a text, so that its first word is the
// same token as in its middle; decoding takes it away again.
//
// Vocabularies write a space as U+2581 "▁", and a text that holds this character
// is encoded as if it were a space, as by the reference. Apart from this, and
// from unknown characters, decoding gives back all valid text. Bytes that are in
// no character are encoded as U+FFFD. SPM is safe for many goroutines at once.
type SPM struct {
	vocabulary
	*specials
	scores  []uint32       // rank of each id as the result of a merge; nil if there are merges
	merges  map[pair]merge // or nil
	unk     int32          // or -1
	byteID  [256]int32     // -1 where there is no such token
	dummy   bool
	lines   bool      // runs of line breaks are merged by themselves
	cut     [256]bool // no token holds this byte and then a space
	whole   []atomic.Uint32
	scratch sync.Pool // of *spmWork
}

type spmWork struct {
	symbols
	t    *SPM
	dst  []int32
	word []byte // what is being merged
}

const escapedSpace = "▁"

// Encode appends the ids of text to dst. Control tokens spelled out in text stay text.
func (t *SPM) Encode(dst []int32, text string) []int32 {
	return t.run(dst, text, trust{})
}

// EncodeSpecial is Encode for trusted text, in which control tokens become their ids.
func (t *SPM) EncodeSpecial(dst []int32, text string) []int32 {
	return t.run(dst, text, trust{any: true, end: len(text)})
}

func (t *SPM) encodeMixed(dst []int32, text string, data []Span) []int32 {
	return t.run(dst, text, trust{any: true, data: data, end: len(text)})
}

func (t *SPM) run(dst []int32, text string, in trust) []int32 {
	w := t.scratch.Get().(*spmWork)
	w.dst = dst
	t.walk(text, in, w)
	dst, w.dst = w.dst, nil
	if w.small() {
		t.scratch.Put(w)
	}
	return dst
}

func (w *spmWork) token(id int32) { w.dst = append(w.dst, id) }

// text appends the ids of what lies between special tokens.
func (w *spmWork) text(s string) {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	if strings.Contains(s, escapedSpace) {
		s = strings.ReplaceAll(s, escapedSpace, " ")
	}
	dummy := w.t.dummy
	for s != "" {
		n := w.t.wordEnd(s, dummy)
		w.word = w.word[:0]
		if dummy {
			w.word = append(w.word, ' ')
		}
		w.word = append(w.word, s[:n]...)
		w.encode()
		s, dummy = s[n:], false
	}
}

// wordEnd returns the length of the part of s that no merge goes beyond. It is 0 if s comes after a dummy
// space that does not merge with it.
func (t *SPM) wordEnd(s string, dummy bool) int {
	if dummy && t.apart(' ', s[0]) {
		return 0
	}
	for i := 1; i < len(s); i++ {
		if t.apart(s[i-1], s[i]) {
			return i
		}
	}
	return len(s)
}

// apart reports whether no merge goes across two bytes.
func (t *SPM) apart(a, b byte) bool {
	return b == ' ' && t.cut[a] || t.lines && (a == '\n') != (b == '\n')
}

// encode appends the ids of w.word.
func (w *spmWork) encode() {
	t := w.t
	id, known := int32(-1), false
	if len(w.word) <= t.longest {
		id, known = t.ids[string(w.word)]
		if known && (t.whole[id/32].Load()>>(id%32)&1 != 0 || t.lines && w.word[0] == '\n') {
			w.dst = append(w.dst, id)
			return
		}
	}
	w.characters()
	w.end(len(w.word))
	w.merge(w)
	if known && len(w.id) == 1 && w.id[0] == id {
		t.whole[id/32].Or(1 << (id % 32))
	}
	for i, id := range w.id {
		if id >= 0 {
			w.dst = append(w.dst, id)
		} else {
			w.spell(int(w.off[i]))
		}
	}
}

// characters makes a symbol of each character of the word; -1 for those in no token.
func (w *spmWork) characters() {
	w.reset()
	for i := 0; i < len(w.word); {
		_, n := utf8.DecodeRune(w.word[i:])
		id, ok := w.t.ids[string(w.word[i:i+n])]
		if !ok {
			id = -1
		}
		w.add(id, i)
		i += n
	}
}

// spell appends the bytes of the character at off, or the unknown token if not all of them are tokens.
func (w *spmWork) spell(off int) {
	_, n := utf8.DecodeRune(w.word[off:])
	start := len(w.dst)
	for _, b := range w.word[off : off+n] {
		id := w.t.byteID[b]
		if id < 0 {
			w.dst = w.dst[:start]
			if w.t.unk >= 0 {
				w.dst = append(w.dst, w.t.unk)
			}
			return
		}
		w.dst = append(w.dst, id)
	}
}

func (w *spmWork) lookup(s *symbols, i, j, k int32) (uint32, int32) {
	t := w.t
	if t.merges != nil {
		if m, ok := t.merges[pair{s.id[i], s.id[j]}]; ok {
			return m.rank, m.id
		}
		return noRank, -1
	}
	if both := w.word[s.off[i]:s.off[k]]; len(both) <= t.longest {
		if id, ok := t.ids[string(both)]; ok {
			return t.scores[id], id
		}
	}
	return noRank, -1
}

// Decode appends the text of ids to dst, without the dummy spaces that Encode
// would have put before the first of them and after special tokens. Control,
// unknown and unused tokens have no text.
func (t *SPM) Decode(dst []byte, ids ...int32) []byte {
	dummy := t.dummy
	for _, id := range ids {
		piece := t.visible(id)
		if dummy && len(piece) > 0 && piece[0] == ' ' && !t.special(id) {
			piece = piece[1:]
		}
		dst = append(dst, piece...)
		dummy = t.dummy && t.special(id)
	}
	return dst
}
