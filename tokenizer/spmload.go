package tokenizer

import (
	"math"
	"strconv"
	"strings"
	"sync/atomic"
)

func newSPM(m *metadata) (*SPM, error) {
	m.spmDefaults()
	m.markers()
	stops := m.stopIDs(append(m.moreEnds, m.eos, m.eot, m.eom)...)
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
			strip[i] = k != normal && k != byteValue
		}
	}
	return strip
}

// ranks sets the order of merging.
func (t *SPM) ranks(m *metadata) (err error) {
	if m.model == "gemma4" || len(m.scores) == 0 && len(m.merges) > 0 {
		t.lines = m.model == "gemma4"
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
