package tokenizer

// vocabulary is what all kinds of tokenizers have in common: the pieces of the
// ids, and which ids are special. It does not change once it is built.
type vocabulary struct {
	bytes []byte // the pieces one after another
	ends  []int  // where the piece of each id ends
	kinds []kind
	ids   map[string]int32 // of the tokens that merging can give, by their pieces; the lowest of equals

	longest int   // of the pieces in ids, in bytes
	bos     int32 // or -1
	eos     int32 // that the file names, or -1
	addBOS  bool
	stops   []int32
}

// newVocabulary makes the pieces of tokens with spell, which appends the bytes
// that a token stands for and reports whether merging can give them.
func newVocabulary(tokens []string, kinds []kind, spell func(b []byte, id int) ([]byte, bool)) vocabulary {
	v := vocabulary{kinds: kinds, ends: make([]int, len(tokens)), bos: -1, eos: -1}
	made := make([]bool, len(tokens))
	for id := range tokens {
		v.bytes, made[id] = spell(v.bytes, id)
		v.ends[id] = len(v.bytes)
	}
	v.ids = make(map[string]int32, len(tokens))
	text := string(v.bytes)
	for id := range tokens {
		start, end := v.span(int32(id))
		piece := text[start:end]
		if _, twice := v.ids[piece]; made[id] && !twice {
			v.ids[piece] = int32(id)
			v.longest = max(v.longest, len(piece))
		}
	}
	return v
}

// span returns where the piece of an id lies; it is empty for what is no id.
func (v *vocabulary) span(id int32) (start, end int) {
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
		case normal, userDefined, byteValue, marker:
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
	return v.kinds[id] == control || v.kinds[id] == marker || v.kinds[id] == userDefined
}
