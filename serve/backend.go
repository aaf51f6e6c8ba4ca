package serve

import (
	"context"
	"iter"
)

// Backend answers: a model that is open in this program (*minillm.Model), or a
// server elsewhere (*remote.Model). A program that is written to it outgrows
// its machine by the one line that opens it.
//
// All methods may be called by many goroutines at once. What can be refused is
// refused before any piece. The end of ctx, or leaving a loop, cancels the
// request; the error then is the cause of ctx's end. What every implementation
// must do is tested by package backendtest.
type Backend interface {
	// Generate continues a raw text.
	Generate(ctx context.Context, prompt string, r Request) (*Reply, error)

	// Stream is Generate with the text as it comes. The last piece has Finish,
	// Usage and Timing.
	Stream(ctx context.Context, prompt string, r Request) iter.Seq2[Piece, error]

	// Chat answers a conversation, rendered with the model's own template.
	Chat(ctx context.Context, messages []Message, r Request) (*Reply, error)

	// ChatStream is Chat with the text as it comes, like Stream.
	ChatStream(ctx context.Context, messages []Message, r Request) iter.Seq2[Piece, error]

	// Embed returns the embedding of a text, of length 1.
	Embed(ctx context.Context, text string) ([]float32, error)
}
