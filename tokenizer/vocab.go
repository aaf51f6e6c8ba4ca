package tokenizer

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Vocab is a tokenizer small enough to see through: a list of pieces, whose
// places are their ids. Encode takes the longest piece that fits, again and
// again. It is for learning and for tests; real vocabularies choose among the
// ways to cut a text by how often its parts were seen together.
//
// Id 0 is the unknown piece: it stands for every character that begins no
// other, and decodes to U+FFFD. There are no control tokens. A Vocab does not
// change, so any number of goroutines may use it.
type Vocab struct {
	pieces []string
	trie   trie
}

// NewVocab makes a vocabulary of an unknown piece and others. Of equal pieces
// the first is used, empty ones never are.
func NewVocab(unknown string, pieces ...string) *Vocab {
	v := &Vocab{pieces: append([]string{unknown}, pieces...)}
	for i, p := range pieces {
		v.trie.add(p, int32(i+1))
	}
	return v
}

// NewCharVocab makes a vocabulary of the characters of text, in their order in Unicode, and "?" for others.
func NewCharVocab(text string) *Vocab {
	chars := []rune(text)
	slices.Sort(chars)
	return NewVocab("?", strings.Split(string(slices.Compact(chars)), "")...)
}

// Encode appends the ids of text to dst.
func (v *Vocab) Encode(dst []int32, text string) []int32 {
	for text != "" {
		id, n := v.trie.match(text)
		if n == 0 {
			id, n = 0, width(text)
		}
		dst = append(dst, id)
		text = text[n:]
	}
	return dst
}

// EncodeSpecial is Encode, for want of control tokens.
func (v *Vocab) EncodeSpecial(dst []int32, text string) []int32 { return v.Encode(dst, text) }

// Decode appends the text of ids to dst.
func (v *Vocab) Decode(dst []byte, ids ...int32) []byte {
	for _, id := range ids {
		if id <= 0 || int(id) >= len(v.pieces) {
			dst = utf8.AppendRune(dst, utf8.RuneError)
			continue
		}
		dst = append(dst, v.pieces[id]...)
	}
	return dst
}

// BOS returns -1: texts begin with nothing.
func (v *Vocab) BOS() (id int32, add bool) { return -1, false }

// Stops returns none.
func (v *Vocab) Stops() []int32 { return nil }

// Piece returns the bytes of an id.
func (v *Vocab) Piece(id int32) []byte {
	if id < 0 || int(id) >= len(v.pieces) {
		return nil
	}
	return []byte(v.pieces[id])
}

// Size returns the number of pieces, the unknown one among them.
func (v *Vocab) Size() int { return len(v.pieces) }

const vocabHeader = "minillm vocab 1"

// Save writes the pieces, each on a line, quoted as in Go.
func (v *Vocab) Save(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, vocabHeader)
	for _, p := range v.pieces {
		fmt.Fprintln(b, strconv.Quote(p))
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("tokenizer: save vocabulary: %w", err)
	}
	return nil
}

// LoadVocab reads what Save has written.
func LoadVocab(r io.Reader) (*Vocab, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() || lines.Text() != vocabHeader {
		return nil, fmt.Errorf("tokenizer: load vocabulary: the first line is not %q", vocabHeader)
	}
	var pieces []string
	for lines.Scan() {
		p, err := strconv.Unquote(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("tokenizer: load vocabulary: line %d is not a quoted piece", len(pieces)+2)
		}
		pieces = append(pieces, p)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("tokenizer: load vocabulary: %w", err)
	}
	if len(pieces) == 0 {
		return nil, fmt.Errorf("tokenizer: load vocabulary: no pieces")
	}
	return NewVocab(pieces[0], pieces[1:]...), nil
}
