package tiny

import (
	"fmt"
	"strings"

	"example.com/minillm/internal/gguf"
)

// Ids of the control tokens. Ids below 256 are the bytes.
const (
	EndOfText = 256 // <|endoftext|>, also the beginning of text and the padding
	StartTurn = 257 // <|im_start|>
	EndTurn   = 258 // <|im_end|>, the end token
)

// merges make the pieces after the control tokens, in order of rank.
var merges = [][2]string{
	{" ", "t"}, {"h", "e"}, {"i", "n"}, {" ", "a"}, {"e", "r"}, {"o", "n"}, {" t", "he"}, {"in", "g"},
}

// template is ChatML, as Qwen and SmolLM write it.
const template = `{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}{% endfor %}` +
	`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

// Pieces are the texts of the tokens by id: the 256 bytes, the control tokens, what the merges make.
func Pieces() []string {
	var all []string
	for b := range 256 {
		all = append(all, string([]byte{byte(b)}))
	}
	all = append(all, "<|endoftext|>", "<|im_start|>", "<|im_end|>")
	for _, m := range merges {
		all = append(all, m[0]+m[1])
	}
	return all
}

// printable reports whether a token is text of ASCII that shows, a space included.
func printable(id int) bool {
	return id >= ' ' && id <= '~' || id > EndTurn && id <= EndTurn+len(merges)
}

// GGUF's numbers for the type of a token.
const (
	typeNormal  int32 = 1
	typeControl int32 = 3
	typeUnused  int32 = 5
)

// vocabulary is the metadata of a byte-level BPE tokenizer.
func (c Config) vocabulary() []gguf.KV {
	var tokens, pairs []string
	var types []int32
	for id := range c.Vocab {
		piece, kind := c.piece(id)
		tokens, types = append(tokens, piece), append(types, kind)
	}
	for _, m := range merges {
		pairs = append(pairs, spell(m[0])+" "+spell(m[1]))
	}
	return []gguf.KV{
		{Key: "tokenizer.ggml.model", Value: "gpt2"},
		{Key: "tokenizer.ggml.pre", Value: "gpt-2"},
		{Key: "tokenizer.ggml.tokens", Value: tokens},
		{Key: "tokenizer.ggml.token_type", Value: types},
		{Key: "tokenizer.ggml.merges", Value: pairs},
		{Key: "tokenizer.ggml.bos_token_id", Value: uint32(EndOfText)},
		{Key: "tokenizer.ggml.eos_token_id", Value: uint32(EndTurn)},
		{Key: "tokenizer.ggml.padding_token_id", Value: uint32(EndOfText)},
		{Key: "tokenizer.ggml.add_bos_token", Value: false},
		{Key: "tokenizer.chat_template", Value: template},
	}
}

func (c Config) piece(id int) (string, int32) {
	pieces := Pieces()
	switch {
	case id >= len(pieces):
		return fmt.Sprintf("<|unused_%d|>", id), typeUnused
	case id >= EndOfText && id <= EndTurn:
		return pieces[id], typeControl
	}
	return spell(pieces[id]), typeNormal
}

// spell writes bytes as the characters that stand for them in byte-level vocabularies: printable Latin-1 for
// itself, the others in order from U+0100. Source: GPT-2's encoder.py, bytes_to_unicode.
func spell(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(byteRunes[s[i]])
	}
	return b.String()
}

var byteRunes = func() (runes [256]rune) {
	next := rune(0x100)
	for b := range runes {
		if b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae {
			runes[b] = rune(b)
		} else {
			runes[b], next = next, next+1
		}
	}
	return runes
}()
