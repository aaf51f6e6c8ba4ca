package tokenizer

import (
	"math"
	"strconv"
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
// "llama": Llama 2, Mistral, Phi-3, Gemma to Gemma 3); Gemma 4 has a list of
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

func newSPM(m *metadata) (*SPM, error) {
	m.spmDefaults()
	stops := m.stopIDs(m.eos, m.eot, m.eom)
	t := &SPM{}
	t.vocabulary = newVocabulary(m.tokens, m.kinds, m.spmPiece)
	t.specials = newSpecials(m.tokens, m.kinds, m.stripping())
	t.stops, t.unk = stops, m.unk
	if err := m.ends(&t.vocabulary, true); err != nil {
		return nil, err
	}
	t.dummy = m.model == "llama"
	if m.addSpace != nil {
		t.dummy = *m.addSpace
	}
	if err := t.ranks(m); err != nil {
		return nil, err
	}
	t.whole = make([]atomic.Uint32, len(m.tokens)/32+1)
	t.scratch.New = func() any { return &spmWork{t: t} }
	t.findBytes()
	t.findCuts()
	return t, nil
}

// spmDefaults are the ids that files of the first models leave out.
func (m *metadata) spmDefaults() {
	if m.model != "llama" {
		return
	}
	for i, id := range []*int32{&m.unk, &m.bos, &m.eos} {
		if *id < 0 && i < len(m.tokens) {
			*id = int32(i)
		}
	}
}

// spmPiece appends the piece of a token.
func (m *metadata) spmPiece(b []byte, id int) (piece []byte, made bool) {
	token := m.tokens[id]
	switch m.kinds[id] {
	case normal:
		return appendSpaces(b, token)
	case byteValue:
		if len(token) == 6 && strings.HasPrefix(token, "<0x") {
			if x, err := strconv.ParseUint(token[3:5], 16, 8); err == nil {
				return append(b, byte(x)), false
			}
		}
	}
	return append(b, token...), false
}

// appendSpaces appends a token with spaces for what stands for them. The result is always true.
func appendSpaces(b []byte, token string) ([]byte, bool) {
	for {
		before, after, more := strings.Cut(token, escapedSpace)
		b = append(b, before...)
		if !more {
			return b, true
		}
		b = append(b, ' ')
		token = after
	}
}

// stripping returns which tokens take white space after them away. Files do not
// say so; it is known of one family of models.
func (m *metadata) stripping() []bool {
	if !strings.Contains(m.name, "phi-3") && !strings.Contains(m.name, "phi3") {
		return nil
	}
	strip := make([]bool, len(m.tokens))
	for i, k := range m.kinds {
		switch m.tokens[i] {
		case "<unk>", "<s>", "<|endoftext|>":
		default:
			strip[i] = k == control || k == userDefined || k == unknown
		}
	}
	return strip
}

// ranks sets the order of merging.
func (t *SPM) ranks(m *metadata) (err error) {
	if m.model == "gemma4" {
		t.lines = true
		t.merges, err = m.mergeTable(&t.vocabulary, appendSpaces)
		return err
	}
	if len(m.scores) == 0 {
		return m.wrong("tokenizer.ggml.scores", "missing")
	}
	t.scores = make([]uint32, len(m.tokens))
	for i := range t.scores {
		t.scores[i] = rankOf(m.scores[i])
	}
	return nil
}

// rankOf maps scores to ranks in descending order.
func rankOf(score float32) uint32 {
	bits := math.Float32bits(score + 0) // one zero instead of two
	if bits>>31 == 0 {
		return 1<<31 - 1 - bits
	}
	return min(bits, noRank-1)
}

func (t *SPM) findBytes() {
	for b := range t.byteID {
		t.byteID[b] = -1
	}
	for id, k := range t.kinds {
		if p := t.Piece(int32(id)); k == byteValue && len(p) == 1 {
			t.byteID[p[0]] = int32(id)
		}
	}
}

// findCuts finds after which bytes a text may be cut where a space follows,
// because no merge goes across. Most vocabularies allow it everywhere but after spaces,
// and so let long texts be merged word by word.
func (t *SPM) findCuts() {
	for b := range t.cut {
		t.cut[b] = true
	}
	for id, k := range t.kinds {
		if k != normal {
			continue
		}
		p := t.Piece(int32(id))
		for i := 1; i < len(p); i++ {
			if p[i] == ' ' {
				t.cut[p[i-1]] = false
			}
		}
	}
}

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
	for i := 0; i < len(text); {
		id, start, end := t.next(text, i, &in)
		w.encodeText(text[i:start])
		if id >= 0 {
			w.dst = append(w.dst, id)
		}
		i = end
	}
	dst, w.dst = w.dst, nil
	if cap(w.id) <= maxKept {
		t.scratch.Put(w)
	}
	return dst
}

// encodeText appends the ids of what lies between special tokens.
func (w *spmWork) encodeText(s string) {
	if s == "" {
		return
	}
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
		w.encodeWord()
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

// encodeWord appends the ids of w.word.
func (w *spmWork) encodeWord() {
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
// would have put before the first of them and after special tokens.
func (t *SPM) Decode(dst []byte, ids ...int32) []byte {
	dummy := t.dummy
	for _, id := range ids {
		piece := t.visible(id)
		if dummy && len(piece) > 0 && piece[0] == ' ' && t.kinds[id] != userDefined {
			piece = piece[1:]
		}
		dst = append(dst, piece...)
		dummy = t.dummy && t.special(id)
	}
	return dst
}
