package remote_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"example.com/minillm"
	"example.com/minillm/serve/remote"
)

// A program that asks a minillm.Backend does not see where it computes.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(canned))
	defer server.Close()

	m, err := remote.Open(server.URL, remote.Options{}) // was: minillm.Open("model.gguf", minillm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	greet(m)
	// Output: Hello there. (3 tokens, stop)
}

func greet(b minillm.Backend) {
	reply, err := b.Chat(context.Background(), []minillm.Message{{Role: "user", Content: "Hi"}}, minillm.Request{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s (%d tokens, %v)\n", reply.Text, reply.Usage.CompletionTokens, reply.Finish)
}

// canned is a server that always says the same.
func canned(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"object": "list", "data": [{"id": "greeter", "object": "model", "owned_by": "example"}]}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, `data: {"choices": [{"index": 0, "delta": {"content": "Hello "}}]}

data: {"choices": [{"index": 0, "delta": {"content": "there."}, "finish_reason": "stop"}]}

data: {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}

data: [DONE]

`)
}
