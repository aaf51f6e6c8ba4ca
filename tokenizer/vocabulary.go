package tokenizer

import "strings"

// kind is the type of a token, with GGUF's numbers.
type kind uint8

const (
	normal      kind = 1
	unknown     kind = 2 // stands for what the vocabulary cannot express
	control     kind = 3 // has a meaning instead of a text
	userDefined kind = 4 // text that is never taken apart
	unused      kind = 5
	byteValue   kind = 6 // "<0x0A>" for the byte 10
)

// vocabulary is what all kinds of tokenizers have in common: the pieces of the
// ids, and which ids are special. It does not change once it is built.
type vocabulary struct {
	text  string   // the pieces one after another
	bytes []byte   // the same, for callers who get slices
	ends  []uint32 // where the piece of each id ends
	kinds []kind
	ids   map[string]int32 // of the tokens that merging can give, by their pieces

	longest int // piece of a normal token, in bytes
	bos     int32
	addBOS  bool
	stops   []int32
}

// newVocabulary copies pieces and keeps kinds. Texts are made of the normal pieces that made allows; nil allows all.
func newVocabulary(pieces []string, kinds []kind, made func(id int) bool) vocabulary {
	v := vocabulary{kinds: kinds, ends: make([]uint32, len(pieces)), bos: -1}
	v.text = strings.Join(pieces, "")
	v.bytes = []byte(v.text)
	v.ids = make(map[string]int32, len(pieces))
	end := 0
	for i, p := range pieces {
		start := end
		end += len(p)
		v.ends[i] = uint32(end)
		if kinds[i] != normal || made != nil && !made(i) {
			continue
		}
		v.longest = max(v.longest, len(p))
		if _, twice := v.ids[p]; !twice {
			v.ids[v.text[start:end]] = int32(i)
		}
	}
	return v
}

// span returns where the piece of an id lies; it is empty for what is no id.
func (v *vocabulary) span(id int32) (start, end uint32) {
	if uint32(id) >= uint32(len(v.ends)) {
		return 0, 0
	}
	if id > 0 {
		start = v.ends[id-1]
	}
	return start, v.ends[id]
}

// BOS returns the id that begins a text, or -1, and whether the file wants it before raw text.
func (v *vocabulary) BOS() (id int32, add bool) { return v.bos, v.addBOS }

// Stops returns the ids that end a generation, in ascending order.
func (v *vocabulary) Stops() []int32 { return v.stops }

// Piece returns the bytes of an id, and nothing for what is no id.
func (v *vocabulary) Piece(id int32) []byte {
	start, end := v.span(id)
	return v.bytes[start:end:end]
}

// Size returns the number of ids.
func (v *vocabulary) Size() int { return len(v.ends) }

// visible returns the text of an id, which some have none of.
func (v *vocabulary) visible(id int32) []byte {
	if uint32(id) < uint32(len(v.kinds)) {
		switch v.kinds[id] {
		case normal, userDefined, byteValue:
			return v.Piece(id)
		}
	}
	return nil
}

// special reports whether an id is taken out of texts before they are cut into words.
func (v *vocabulary) special(id int32) bool {
	if uint32(id) >= uint32(len(v.kinds)) {
		return false
	}
	return v.kinds[id] == control || v.kinds[id] == userDefined
}
