// service puts a model into an HTTP service of one's own: a handler that takes
// and gives JSON in the service's own words, beside a health check and beside
// OpenAI's API, which other programs may use. All share one model, and so one
// batch: requests that come together are computed together.
//
//	go run ./examples/service [--model FILE.gguf]
//	curl -s localhost:8081/story -d '{"hero": "fox", "seed": 3}'
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"time"

	"example.com/minillm"
	"example.com/minillm/examples/internal/open"
	"example.com/minillm/sampling"
	"example.com/minillm/serve/openai"
)

func main() {
	path := flag.String("model", "", "model file; without one, the embedded model")
	addr := flag.String("addr", "127.0.0.1:8081", "address to listen on")
	flag.Parse()
	m, err := open.FrontDoor(*path)
	open.Check(err)
	defer m.Close()
	fmt.Printf("try: curl -s http://%s/story -d '{\"hero\": \"fox\"}'\n", *addr)
	open.Check(http.ListenAndServe(*addr, routes(m)))
}

// routes are the service: its own handlers, and OpenAI's below /v1/.
func routes(m *minillm.Model) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /story", stories{m}.tell)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
	api := openai.New(m.Text(), m.Tokenizer(), openai.Options{Template: m.Template(), Models: []string{"storyteller"}, Context: m.Context()})
	for _, path := range api.Paths() {
		mux.Handle(path, api)
	}
	return mux
}

// question and story are what the service's clients see: no prompts, no tokens.
type question struct {
	Hero string `json:"hero"`
	Seed uint64 `json:"seed"`
}

type story struct {
	Hero     string `json:"hero"`
	Text     string `json:"text"`
	Words    int    `json:"words"`
	Finished bool   `json:"finished"` // false: it was cut off
}

type stories struct{ model *minillm.Model }

func (s stories) tell(w http.ResponseWriter, r *http.Request) {
	var q question
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<12)).Decode(&q); err != nil || q.Hero == "" || len(q.Hero) > 40 {
		http.Error(w, `want {"hero": "…"} of at most 40 bytes`, http.StatusBadRequest)
		return
	}
	// The request's context ends when the client leaves, and its tokens with it.
	ctx, cancel := context.WithTimeout(r.Context(), 30*time.Second)
	defer cancel()
	reply, err := s.model.Chat(ctx, []minillm.Message{{Role: "user", Content: "Tell me a story about a " + q.Hero + "."}},
		minillm.Request{MaxTokens: 300, Sampling: sampling.Params{Temperature: 0.5, Seed: q.Seed}})
	switch {
	case errors.Is(err, minillm.ErrBusy):
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many stories at once", http.StatusTooManyRequests)
	case err != nil:
		http.Error(w, "no story today", http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(story{q.Hero, strings.TrimSpace(reply.Text), len(strings.Fields(reply.Text)), reply.Finish == minillm.FinishStop})
	}
}
