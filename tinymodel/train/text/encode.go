package text

import "example.com/minillm/tokenizer"

// Special tokens of the model: the end of a text, and the begin and end of a turn.
var Special = []string{"<|endoftext|>", "<|im_start|>", "<|im_end|>"}

// Their ids.
const (
	EndOfText = int32(iota)
	StartTurn
	EndTurn
)

// Template is the chat template that Encode writes a conversation by.
const Template = "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}" +
	"{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"

// Encode returns the ids of a document, and which of them are to be predicted: all of a story, and of a conversation what
// the assistant says.
func (d Doc) Encode(t tokenizer.Tokenizer) (ids []int32, target []bool) {
	add := func(wanted bool, more ...int32) {
		for _, id := range more {
			ids, target = append(ids, id), append(target, wanted)
		}
	}
	newline := t.Encode(nil, "\n")
	for i, turn := range d.Turns {
		if turn.Role == "" {
			add(true, t.Encode(nil, turn.Text)...)
			add(true, EndOfText)
			continue
		}
		if i > 0 {
			add(false, newline...)
		}
		answer := turn.Role == "assistant"
		add(false, StartTurn)
		add(false, t.Encode(nil, turn.Role)...)
		add(false, newline...)
		add(answer, t.Encode(nil, turn.Text)...)
		add(answer, EndTurn)
	}
	return ids, target
}
