// embed is a language model inside a Go program, in ten lines. The model is
// part of the binary: it needs no file, no network and no cgo.
//
//	go run ./examples/embed
package main

import (
	"context"
	"fmt"
	"log"

	"example.com/minillm"
	"example.com/minillm/tinymodel"
)

func main() {
	m, err := minillm.OpenBytes(tinymodel.GGUF, minillm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	reply, err := m.Chat(context.Background(), []minillm.Message{{Role: "user", Content: "Who are you?"}}, minillm.Request{MaxTokens: 64})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reply.Text)
}
