package minillm_test

import (
	"context"
	"fmt"
	"log"

	"example.com/minillm"
	"example.com/minillm/tinymodel"
)

// From a model to text. For one in a file it is Open and the file's name.
func Example() {
	m, err := minillm.OpenBytes(tinymodel.GGUF, minillm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	reply, err := m.Generate(context.Background(), "Once upon a", minillm.Request{MaxTokens: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Once upon a"+reply.Text, reply.Usage.CompletionTokens, reply.Finish)
	// Output: Once upon a time 1 length
}

// The text as it comes. Leaving the loop cancels the request.
func ExampleModel_ChatStream() {
	m, err := minillm.OpenBytes(tinymodel.GGUF, minillm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	messages := []minillm.Message{{Role: "user", Content: "Tell me a story about a fox."}}
	pieces := 0
	for piece, err := range m.ChatStream(context.Background(), messages, minillm.Request{}) {
		if err != nil {
			log.Fatal(err)
		}
		if pieces++; pieces == 3 {
			break
		}
		fmt.Printf("%q\n", piece.Text)
	}
	// Output:
	// "Once"
	// " upon"
}
