package serve

import (
	"context"
	"errors"
	"math"

	"example.com/minillm/batch"
)

// errNoEmbedding says that a request for an embedding ended without one.
var errNoEmbedding = errors.New("serve: the request ended before its embedding was computed")

// Embed returns the embedding of a prompt: the mean of its normed last hidden
// rows, scaled to length 1.
func (t Text) Embed(ctx context.Context, r TextRequest) ([]float32, Usage, error) {
	streams, err := t.Engine.Submit(ctx, batch.Spec{Prompt: r.Prompt, Embed: true, OnlyPrompt: true,
		Priority: r.Priority, Deadline: r.Deadline, Salt: r.Salt, Tenant: tenant(ctx, r.Tenant), Weight: r.Weight})
	if err != nil {
		return nil, Usage{}, err
	}
	var usage Usage
	for e, err := range streams[0].Events(ctx) {
		if err != nil {
			return nil, Usage{}, err
		}
		if e.Usage != nil {
			usage = *e.Usage
		}
	}
	vec := streams[0].Sequence().Embedding()
	if vec == nil {
		return nil, usage, errNoEmbedding
	}
	normalise(vec)
	return vec, usage, nil
}

func normalise(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
}
