package remote

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/openai/openai-go/v3"
)

// Embed returns the embedding of a text, scaled to length 1.
func (m *Model) Embed(ctx context.Context, text string) ([]float32, error) {
	const path = "embeddings"
	a, err := m.begin(ctx, path, time.Time{})
	if err != nil {
		return nil, err
	}
	defer a.end()
	p := openai.EmbeddingNewParams{Model: m.name, EncodingFormat: openai.EmbeddingNewParamsEncodingFormatFloat}
	p.Input.OfString = openai.String(text)
	reply, err := m.embeddings.New(a.ctx, p)
	if err != nil {
		return nil, m.explain(a.ctx, path, err)
	}
	if len(reply.Data) == 0 {
		return nil, fmt.Errorf("%w: %s%s: no embedding in it", ErrBroken, m.url, path)
	}
	return unit(reply.Data[0].Embedding), nil
}

// unit scales a vector to length 1, if it has any.
func unit(v []float64) []float32 {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	scale := 1.0
	if sum > 0 {
		scale = 1 / math.Sqrt(sum)
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x * scale)
	}
	return out
}
