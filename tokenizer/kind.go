package tokenizer

import (
	"slices"
	"strings"
)

// kind is the type of a token, with GGUF's numbers.
type kind uint8

const (
	normal      kind = 1
	unknown     kind = 2 // stands for what the vocabulary cannot express
	control     kind = 3 // has a meaning instead of a text
	userDefined kind = 4 // text that is never taken apart
	unused      kind = 5
	byteValue   kind = 6 // "<0x0A>" for the byte 10

	// marker is no type of GGUF's: a token that is control to who writes it and text to who reads it.
	marker kind = 128
)

// harmonyNames are tokens of gpt-oss that give its answers their structure and
// so have to be seen by whoever reads them, though files call them control tokens.
var harmonyNames = []string{"<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"}

// markers mends the kinds of tokens that divide a text into turns, calls and
// channels. Many files call them user-defined, which would let every user write
// them: "<|SYSTEM_TOKEN|>" in Command R, "<|tool_call>" in Gemma 4.
func (m *metadata) markers() {
	for id, token := range m.tokens {
		if m.kinds[id] == userDefined && divides(token) || m.kinds[id] != normal && slices.Contains(harmonyNames, token) {
			m.kinds[id] = marker
		}
	}
}

// divides reports whether a token is spelled "<|so|>", "<|so>", "<so|>" or with wide bars.
func divides(token string) bool {
	if len(token) < 3 || token[0] != '<' || token[len(token)-1] != '>' {
		return false
	}
	inner := token[1 : len(token)-1]
	for _, bar := range []string{"|", "｜"} {
		if strings.HasPrefix(inner, bar) || strings.HasSuffix(inner, bar) {
			return true
		}
	}
	return false
}
