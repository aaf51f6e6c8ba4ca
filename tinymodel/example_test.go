package tinymodel_test

import (
	"context"
	"fmt"
	"log"

	"example.com/minillm"
	"example.com/minillm/tinymodel"
)

func Example() {
	m, err := minillm.OpenBytes(tinymodel.GGUF, minillm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	reply, err := m.Chat(context.Background(), []minillm.Message{{Role: "user", Content: "What is the capital of France?"}}, minillm.Request{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reply.Text)
	// Output: The capital of France is Paris.
}
