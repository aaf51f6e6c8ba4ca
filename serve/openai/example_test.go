package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/kvcache"
	"example.com/minillm/serve"
	"example.com/minillm/serve/openai"
)

// The handler goes beside a program's own. Here a scripted model answers; with
// *transformer.Model in its place nothing else changes.
func Example() {
	cache, err := kvcache.NewContiguous(fake.Shape, 4, 64, kvcache.F32)
	if err != nil {
		panic(err)
	}
	model := &fake.Model{Script: fake.Say(" world", 5)}
	engine := serve.New(batch.NewRunner(model), batch.NewContinuous(cache, 4), serve.Options{})
	go engine.Run(context.Background())
	defer engine.Drain()

	api := openai.New(serve.Text{Engine: engine, Tokenizer: fake.Bytes{}}, fake.Bytes{}, openai.Options{Models: []string{"fake"}})
	mux := http.NewServeMux()
	for _, path := range api.Paths() {
		mux.Handle(path, api)
	}
	s := httptest.NewServer(mux)
	defer s.Close()

	resp, err := http.Post(s.URL+"/v1/completions", "application/json", strings.NewReader(`{"prompt": "hello", "temperature": 0, "n": 7}`))
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(resp.Status, strings.Count(string(answer), `"text":" world"`))
	// Output: 200 OK 7
}
