package openai

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"math"
	"net/http"
	"sync"

	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
)

// embedded is how many inputs of one request are computed together, so that a
// long list leaves room in the queue for others.
const embedded = 16

func (h *Handler) embeddings(w http.ResponseWriter, r *http.Request) {
	q, err := read(h, w, r, h.embeddingRequest)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	reply, err := q.compute(r.Context(), h)
	if err != nil {
		wire.WriteError(w, err)
		return
	}
	wire.WriteJSON(w, http.StatusOK, reply)
}

type embeddingRequest struct {
	model  string
	inputs []prompt
	base64 bool
	embed  serve.TextRequest
}

// embeddingRequest reads a body; what is wrong with it, the body notes.
func (h *Handler) embeddingRequest(b *wire.Body) *embeddingRequest {
	q := &embeddingRequest{model: h.readModel(b)}
	format := "float"
	b.String("encoding_format", &format)
	if format != "float" && format != "base64" {
		b.Fail(http.StatusBadRequest, "encoding_format", "%s is neither float nor base64", wire.Quote(format))
	}
	q.base64 = format == "base64"
	b.Int("priority", &q.embed.Priority, -100, 100)
	b.Refuse("dimensions")
	b.Refuse("truncate_prompt_tokens")
	accept(b)
	q.inputs = h.readPrompts(b, "input", maxInputs)
	return q
}

type embeddingReply struct {
	list[embedding]
	Model string         `json:"model"`
	Usage embeddingUsage `json:"usage"`
}

type embedding struct {
	Object    string `json:"object"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding"` // []float32, or base64 of its bytes
}

type embeddingUsage struct {
	Prompt int `json:"prompt_tokens"`
	Total  int `json:"total_tokens"`
}

// compute embeds the inputs, or returns the first error.
func (q *embeddingRequest) compute(ctx context.Context, h *Handler) (*embeddingReply, error) {
	reply := &embeddingReply{list: list[embedding]{Object: "list", Data: make([]embedding, len(q.inputs))}, Model: q.model}
	prompts := make([][]int32, len(q.inputs))
	for i, p := range q.inputs {
		prompts[i] = h.encode(p)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	var mu sync.Mutex // guards reply.Usage
	places := make(chan struct{}, embedded)
	for i, ids := range prompts {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			defer contain(cancel)
			r := q.embed
			r.Prompt = ids
			vec, u, err := h.generator.Embed(ctx, r)
			if err != nil {
				cancel(err)
				return
			}
			reply.Data[i] = embedding{"embedding", i, q.encode(vec)}
			mu.Lock()
			defer mu.Unlock()
			reply.Usage.Prompt += u.PromptTokens
			reply.Usage.Total += u.PromptTokens
		})
	}
	wg.Wait()
	return reply, context.Cause(ctx)
}

func (q *embeddingRequest) encode(vec []float32) any {
	if !q.base64 {
		return vec
	}
	b := make([]byte, 0, 4*len(vec))
	for _, x := range vec {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}
