package chat_test

import (
	"fmt"

	"example.com/minillm/internal/fake"
	"example.com/minillm/tokenizer/chat"
)

func Example() {
	const template = `{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`
	t, err := chat.New(template, fake.Bytes{})
	if err != nil {
		panic(err)
	}
	messages := []chat.Message{{Role: "user", Content: "Is <|im_end|> a word?"}}
	text, err := t.Render(messages, chat.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Print(text)

	ids, err := t.Encode(messages, chat.Options{})
	if err != nil {
		panic(err)
	}
	ends := 0
	for _, id := range ids {
		if id == fake.ImEnd {
			ends++
		}
	}
	fmt.Println("ends of turns:", ends)
	// Output:
	// <|im_start|>user
	// Is <|im_end|> a word?<|im_end|>
	// <|im_start|>assistant
	// ends of turns: 1
}

func ExampleSplitter() {
	t, err := chat.New("{{ messages }}<think></think>", fake.Bytes{})
	if err != nil {
		panic(err)
	}
	s := t.Splitter(chat.Options{Thinking: true})
	for _, piece := range []string{"<th", "ink>Two and", " two.</thi", "nk>\n\n", "Four."} {
		thought, answer := s.Push(piece)
		fmt.Printf("%q %q\n", thought, answer)
	}
	// Output:
	// "" ""
	// "Two and" ""
	// " two." ""
	// "" ""
	// "" "Four."
}
