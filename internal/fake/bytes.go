package fake

import "strings"

// Control tokens of Bytes.
const (
	BOS     int32 = 256 + iota // <|bos|>
	EOS                        // <|eos|>
	ImStart                    // <|im_start|>
	ImEnd                      // <|im_end|>
)

var control = []string{"<|bos|>", "<|eos|>", "<|im_start|>", "<|im_end|>"}

var pieces = func() (p [260][]byte) {
	for i := range 256 {
		p[i] = []byte{byte(i)}
	}
	for i, s := range control {
		p[256+i] = []byte(s)
	}
	return p
}()

// Bytes is a tokenizer.Tokenizer with an id for every byte and a few control
// tokens. Raw text begins with BOS where Begin is set.
type Bytes struct{ Begin bool }

// Encode appends the bytes of text.
func (Bytes) Encode(dst []int32, text string) []int32 {
	for i := range len(text) {
		dst = append(dst, int32(text[i]))
	}
	return dst
}

// EncodeSpecial appends the bytes of text, and the ids of control tokens that
// are spelled out in it.
func (b Bytes) EncodeSpecial(dst []int32, text string) []int32 {
	for text != "" {
		at, id := len(text), -1
		for i, s := range control {
			if j := strings.Index(text, s); j >= 0 && j < at {
				at, id = j, i
			}
		}
		dst = b.Encode(dst, text[:at])
		if id < 0 {
			break
		}
		dst = append(dst, BOS+int32(id))
		text = text[at+len(control[id]):]
	}
	return dst
}

// Decode appends the bytes of ids; control tokens have none.
func (Bytes) Decode(dst []byte, ids ...int32) []byte {
	for _, id := range ids {
		if id >= 0 && id < 256 {
			dst = append(dst, byte(id))
		}
	}
	return dst
}

// BOS returns the id that begins a text, and Begin.
func (b Bytes) BOS() (id int32, add bool) { return BOS, b.Begin }

// Stops returns EOS and ImEnd.
func (Bytes) Stops() []int32 { return []int32{EOS, ImEnd} }

// Piece returns the bytes of id, those of control tokens too.
func (Bytes) Piece(id int32) []byte {
	if id < 0 || int(id) >= len(pieces) {
		return nil
	}
	return pieces[id]
}

// Size returns the number of ids.
func (Bytes) Size() int { return len(pieces) }
