package serve_test

import (
	"context"
	"fmt"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
	"example.com/minillm/serve"
)

// An engine with text in front of it. The model is a scripted one; with a
// *transformer.Model and its tokenizer nothing else changes.
func Example() {
	cache, err := kvcache.NewContiguous(fake.Shape, 4, 64, kvcache.F32)
	if err != nil {
		panic(err)
	}
	model := &fake.Model{Script: fake.Say("One, two, three, four.", len("Count."))}
	engine := serve.New(batch.NewRunner(model), batch.NewContinuous(cache, 4), serve.Options{})
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go engine.Run(ctx) // the one owner of model, policy and cache

	text := serve.Text{Engine: engine, Tokenizer: fake.Bytes{}}
	pieces, err := text.Generate(ctx, serve.TextRequest{
		Prompt:  text.Encode("Count."),
		Request: serve.Request{Stop: []string{", three"}},
	})
	if err != nil {
		panic(err) // refusals come here, before the first piece
	}
	reply, err := serve.Collect(pieces)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%q %v, %d prompt tokens\n", reply.Text, reply.Finish, reply.Usage.PromptTokens)
	// Output: "One, two" stop, 6 prompt tokens
}
