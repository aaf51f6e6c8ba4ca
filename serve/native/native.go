// Package native has the server's own small endpoints: POST /generate, POST
// /stream and GET /health. What they accept is bounded tightly, so that they
// can be offered to people as they are. Beside them are the chat page, at /,
// and the description of the whole server, /openapi.json.
//
// The bounds are what makes it simple to reason about: an answer has at most 512
// tokens, so a request ends, and one step of every request is short. Who needs
// more takes package openai's endpoints beside it.
//
// /health is for machines that must decide, so it tells more than that the
// process lives: loading, ok, draining, and stuck, when requests wait and no step
// has finished for a while. A Gate answers it before there is a model.
//
// A common mistake is to look for errors in the text of /stream. It has none: a
// failure on the way breaks the connection off, which a client sees as an
// unexpected end and not as a short answer.
package native

import (
	"context"
	"iter"
	"net/http"
	"time"

	"example.com/minillm/sampling"
	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
	"example.com/minillm/tokenizer/chat"
)

const maxBody = 1 << 20

// stuck is how long requests may wait without any step before /health says so.
const stuck = 10 * time.Second

// Handler answers /generate, /stream and /health for one model.
type Handler struct {
	Text     serve.Text
	Template *chat.Template // renders the prompt as a user's message; nil: it is raw text
	Model    string         // the name that /health tells
	Strict   bool           // refuse fields that nobody knows

	description string
	mux         wire.Mux
}

// New returns a handler; its routes are absolute paths.
func New(text serve.Text, template *chat.Template, model string) *Handler {
	h := &Handler{Text: text, Template: template, Model: model, description: describe(text.Tokenizer.Size())}
	h.mux.Handle(http.MethodPost, "/generate", h.generate)
	h.mux.Handle(http.MethodPost, "/stream", h.stream)
	h.mux.Handle(http.MethodGet, "/health", h.health)
	h.mux.Handle(http.MethodGet, "/{$}", h.page)
	h.mux.Handle(http.MethodGet, "/openapi.json", h.openapi)
	return h
}

// ServeHTTP answers the requests that Routes lists.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// Routes returns the methods and paths that h answers, such as "GET /health".
// Whatever else is asked is told, in JSON, that it is not there: h goes last.
func (h *Handler) Routes() []string { return h.mux.Routes() }

// request is the body of /generate and /stream with its defaults.
type request struct {
	prompt, system string
	serve.Request
	useCache bool
}

// read reads and checks a body.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (*request, error) {
	b, err := wire.Read(w, r, maxBody)
	if err != nil {
		return nil, err
	}
	b.Bounds = http.StatusUnprocessableEntity
	q := &request{useCache: true, Request: serve.Request{MaxTokens: 128, Sampling: sampling.Params{TopK: 50}}}
	if !b.Has("prompt") {
		b.Fail(http.StatusBadRequest, "prompt", "is missing")
	}
	b.String("prompt", &q.prompt)
	if q.prompt == "" {
		b.Fail(b.Bounds, "prompt", "must not be empty")
	}
	b.String("system", &q.system)
	if q.system != "" && h.Template == nil {
		b.Fail(http.StatusBadRequest, "system", "the model has no chat template to put it in")
	}
	b.Int("max_new_tokens", &q.MaxTokens, 1, 512)
	b.Float("temperature", &q.Sampling.Temperature, 0, 2)
	b.Int("top_k", &q.Sampling.TopK, 1, 100)
	b.TopP("top_p", &q.Sampling)
	b.Seed("seed", &q.Sampling.Seed)
	b.Stops("stop", &q.Stop)
	b.Bool("use_cache", &q.useCache)
	return q, b.Finish(w, h.Strict)
}

// submit encodes the prompt and hands it to the engine.
func (h *Handler) submit(ctx context.Context, q *request) (iter.Seq2[serve.Piece, error], error) {
	ids, err := h.encode(q)
	if err != nil {
		return nil, err
	}
	return h.Text.Generate(ctx, serve.TextRequest{Request: q.Request, Prompt: ids, NoCache: !q.useCache})
}

func (h *Handler) encode(q *request) ([]int32, error) {
	if h.Template == nil {
		return h.Text.Encode(q.prompt), nil
	}
	messages := []chat.Message{{Role: "user", Content: q.prompt}}
	if q.system != "" {
		messages = append([]chat.Message{{Role: "system", Content: q.system}}, messages...)
	}
	return h.Template.Encode(messages, chat.Options{})
}

// answer is the body that /generate sends.
type answer struct {
	Text            string  `json:"text"`
	TTFT            float64 `json:"ttft_ms"`
	Latency         float64 `json:"latency_ms"`
	InputTokens     int     `json:"input_tokens"`
	OutputTokens    int     `json:"output_tokens"`
	TokensPerSecond float64 `json:"tokens_per_second"`
	UseCache        bool    `json:"use_cache"`
	CachedTokens    int     `json:"cached_tokens"`
	FinishReason    string  `json:"finish_reason"`
}

func (h *Handler) generate(w http.ResponseWriter, r *http.Request) {
	q, err := h.read(w, r)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	pieces, err := h.submit(r.Context(), q)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	reply, err := serve.Collect(pieces)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	wire.WriteJSON(w, http.StatusOK, answer{
		Text: reply.Text, TTFT: milliseconds(reply.Timing.TTFT), Latency: milliseconds(reply.Timing.Total),
		InputTokens: reply.Usage.PromptTokens, OutputTokens: reply.Usage.CompletionTokens,
		TokensPerSecond: reply.TokensPerSecond(), UseCache: q.useCache,
		CachedTokens: reply.Usage.CachedTokens, FinishReason: reply.Finish.String(),
	})
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// stream sends each piece of text as it comes. The status is known with the
// first one; a failure after it breaks the connection off, because an end
// like any other would look like a whole answer.
func (h *Handler) stream(w http.ResponseWriter, r *http.Request) {
	q, err := h.read(w, r)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	pieces, err := h.submit(r.Context(), q)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	sender := wire.NewSender(w)
	sent := false
	for p, err := range pieces {
		if err != nil && !sent {
			wire.WriteError(w, err)
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if !sent {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			sent = true
		}
		if sender.Send([]byte(p.Text)) != nil {
			return
		}
	}
}

// health says whether a request would be answered now.
func (h *Handler) health(w http.ResponseWriter, r *http.Request) {
	_, stalled := h.Text.Engine.Load()
	switch {
	case h.Text.Engine.Draining():
		status(w, http.StatusServiceUnavailable, "draining")
	case stalled > stuck:
		status(w, http.StatusServiceUnavailable, "stuck")
	default:
		wire.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok", "model": h.Model})
	}
}

func status(w http.ResponseWriter, code int, s string) {
	wire.WriteJSON(w, code, map[string]string{"status": s})
}
