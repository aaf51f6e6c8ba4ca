package chat

import "strings"

// vocab is a tokenizer of bytes with control tokens, which have the ids from
// 256 on; the first is BOS. With spaced it puts a space before every text and
// after every control token, as vocabularies of the SentencePiece kind do.
type vocab struct {
	control []string
	addBOS  bool
	spaced  bool
}

var chatML = vocab{control: []string{"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"}}

func (v vocab) Encode(dst []int32, text string) []int32 {
	if v.spaced && text != "" {
		dst = append(dst, ' ')
	}
	return v.bytes(dst, text)
}

func (v vocab) bytes(dst []int32, text string) []int32 {
	for _, b := range []byte(text) {
		dst = append(dst, int32(b))
	}
	return dst
}

func (v vocab) EncodeSpecial(dst []int32, text string) []int32 {
	for text != "" {
		at, found := len(text), -1
		for i, s := range v.control {
			j := strings.Index(text, s)
			if j >= 0 && (j < at || j == at && found >= 0 && len(s) > len(v.control[found])) {
				at, found = j, i
			}
		}
		dst = v.Encode(dst, text[:at])
		if found < 0 {
			break
		}
		dst = append(dst, int32(256+found))
		text = text[at+len(v.control[found]):]
	}
	return dst
}

func (v vocab) Decode(dst []byte, ids ...int32) []byte {
	for _, id := range ids {
		if id < 256 {
			dst = append(dst, byte(id))
		}
	}
	return dst
}

func (v vocab) BOS() (int32, bool) { return 256, v.addBOS }
func (v vocab) Stops() []int32     { return []int32{258} }
func (v vocab) Size() int          { return 256 + len(v.control) }

func (v vocab) Piece(id int32) []byte {
	if id < 256 {
		return []byte{byte(id)}
	}
	return []byte(v.control[id-256])
}

// text spells ids, control tokens between « and ».
func (v vocab) text(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		if id < 256 {
			b.WriteByte(byte(id))
		} else {
			b.WriteString("«" + v.control[id-256] + "»")
		}
	}
	return b.String()
}

// count is the number of control tokens.
func (v vocab) count(ids []int32) (n int) {
	for _, id := range ids {
		if id >= 256 {
			n++
		}
	}
	return n
}
