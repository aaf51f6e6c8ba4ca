// Package openai answers HTTP requests as OpenAI's API does: chat completions,
// completions, embeddings and models, streamed or not, and the /tokenize and
// /detokenize that vLLM and llama.cpp have beside them.
//
// Nothing is silently ignored. A field that changes nothing in the result is
// accepted; one that would change it and is not supported is refused by name;
// one that nobody knows is named in the header Minillm-Ignored-Fields.
//
// # How it answers
//
// A request is read field by field, rendered by the model's template, and
// submitted; what can be refused is refused there, as JSON with a status, before
// a byte of an answer is sent. Streams are server-sent events, each a line
// "data: {…}", the last "data: [DONE]"; a failure on the way is an event that has
// an error, and none comes after it.
//
// # What it trades away
//
// Other servers ignore what they do not support, and their clients get answers
// that look right: a schema that was not followed, tools that were never called.
// Here such a request fails, so a client may have to leave out a field.
//
// # Common mistakes
//
//   - Mounting it without a check of keys where others can reach it: see package
//     guard.
//   - A proxy in front that buffers: streams then come at once, at the end.
//   - Counting events as tokens. An event is a stretch of text; usage has counts.
//   - Expecting the same answer twice: OpenAI's default is temperature 1 with a
//     random seed. Send temperature 0, or a seed.
package openai

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"time"

	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
	"example.com/minillm/tokenizer"
	"example.com/minillm/tokenizer/chat"
)

// Limits of a request.
const (
	maxBody     = 8 << 20
	maxMessages = 4096
	maxParts    = 1024 // of a message
	maxPrompts  = 256  // of a completion
	maxInputs   = 2048 // of an embedding
	maxChoices  = 128  // for one prompt
	maxAnswers  = 1024 // for all prompts: an engine's queue holds as many, unless told otherwise
	maxLogprobs = 20   // alternatives
)

// Generator computes. serve.Text is one; it may be called by many goroutines.
type Generator interface {
	// Encode returns the ids of a raw text, with BOS where the model wants it.
	Encode(text string) []int32

	// Generate yields the pieces of all choices of r as they come. What can be
	// refused is refused before any piece. Leaving the loop or the end of ctx
	// cancels the request.
	Generate(ctx context.Context, r serve.TextRequest) (iter.Seq2[serve.Piece, error], error)

	// Embed returns the embedding of the prompt of r, of length 1.
	Embed(ctx context.Context, r serve.TextRequest) ([]float32, serve.Usage, error)
}

// Options of a handler; zero values are the defaults.
type Options struct {
	Template *chat.Template // renders chats; nil: they are refused
	Models   []string       // names of the model, the first in front; default "default"
	Context  int            // most positions of a request, as /v1/models tells it; 0 is not told
	Strict   bool           // refuse fields that nobody knows
	Created  time.Time      // of the model, as /v1/models tells it; default now
}

// Handler answers for one model. It is safe for many requests at once.
type Handler struct {
	generator Generator
	tok       tokenizer.Tokenizer
	o         Options
	mux       wire.Mux
}

// New returns a handler; its routes are absolute paths.
func New(g Generator, t tokenizer.Tokenizer, o Options) *Handler {
	if len(o.Models) == 0 {
		o.Models = []string{"default"}
	}
	if o.Created.IsZero() {
		o.Created = time.Now()
	}
	h := &Handler{generator: g, tok: t, o: o}
	h.mux.Handle(http.MethodPost, "/v1/chat/completions", h.chat)
	h.mux.Handle(http.MethodPost, "/v1/completions", h.completions)
	h.mux.Handle(http.MethodPost, "/v1/embeddings", h.embeddings)
	h.mux.Handle(http.MethodGet, "/v1/models", h.models)
	h.mux.Handle(http.MethodGet, "/v1/models/{id...}", h.model)
	h.mux.Handle(http.MethodPost, "/tokenize", h.tokenize)
	h.mux.Handle(http.MethodPost, "/detokenize", h.detokenize)
	return h
}

// ServeHTTP answers the requests that Routes lists.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// Paths returns the paths that h answers, for mounting it beside others.
func (h *Handler) Paths() []string { return h.mux.Paths() }

// Routes returns the methods and paths that h answers, such as "GET /v1/models".
func (h *Handler) Routes() []string { return h.mux.Routes() }

// read reads the body of a request with parse, which notes in it what is wrong.
func read[T any](h *Handler, w http.ResponseWriter, r *http.Request, parse func(*wire.Body) T) (q T, err error) {
	b, err := wire.Read(w, r, maxBody)
	if err != nil {
		return q, err
	}
	q = parse(b)
	return q, b.Finish(w, h.o.Strict)
}

// known returns the name of the model that a client calls name, and whether it
// is loaded.
func (h *Handler) known(name string) (string, bool) {
	if name == "" || name == "default" {
		return h.o.Models[0], true
	}
	return name, slices.Contains(h.o.Models, name)
}

// readModel reads the name of the model that is asked for.
func (h *Handler) readModel(b *wire.Body) string {
	var name string
	b.String("model", &name)
	name, ok := h.known(name)
	if !ok {
		b.FailWith(noModel(name))
	}
	return name
}

func noModel(name string) *wire.Error {
	return &wire.Error{Status: http.StatusNotFound, Type: "invalid_request_error", Param: "model", Code: "model_not_found",
		Message: "the model " + wire.Quote(name) + " is not loaded here"}
}
