// Package clients tests the server with clients that others have written, in a
// module of its own so that the library does not depend on them.
package clients

import (
	"context"
	"errors"
	"math"
	"net/http/httptest"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"example.com/minillm"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/serve/guard"
	handlers "example.com/minillm/serve/openai"
)

// connect returns a client of a server with a tiny model.
func connect(t *testing.T, key string) openai.Client {
	t.Helper()
	m, err := minillm.OpenBytes(tiny.GGUF(tiny.Config{Layers: 1}), minillm.Options{Threads: 1, KVPositions: 8192})
	if err != nil {
		t.Fatal(err)
	}
	api := handlers.New(m.Text(), m.Tokenizer(), handlers.Options{Template: m.Template(), Models: []string{"tiny"}, Context: m.Context()})
	s := httptest.NewServer(guard.Keys(api, []string{"secret"}))
	t.Cleanup(func() { s.Close(); m.Close() })
	return openai.NewClient(option.WithBaseURL(s.URL+"/v1"), option.WithAPIKey(key), option.WithMaxRetries(0))
}

func question(stream bool) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model:               "tiny",
		Messages:            []openai.ChatCompletionMessageParamUnion{openai.DeveloperMessage("Be brief."), openai.UserMessage("Hello")},
		MaxCompletionTokens: openai.Int(12),
		Temperature:         openai.Float(0),
		Logprobs:            openai.Bool(true),
		TopLogprobs:         openai.Int(2),
	}
	if stream {
		p.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	return p
}

func TestChat(t *testing.T) {
	c, ctx := connect(t, "secret"), context.Background()
	whole, err := c.Chat.Completions.New(ctx, question(false))
	if err != nil {
		t.Fatal(err)
	}
	choice := whole.Choices[0]
	if choice.Message.Content == "" || whole.Usage.CompletionTokens != int64(len(choice.Logprobs.Content)) || len(choice.Logprobs.Content[0].TopLogprobs) != 2 {
		t.Errorf("got %s", whole.RawJSON())
	}
	stream := c.Chat.Completions.NewStreaming(ctx, question(true))
	acc := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			t.Errorf("a chunk that does not fit: %s", stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if got := acc.Choices[0]; got.Message.Content != choice.Message.Content || got.FinishReason != choice.FinishReason || acc.Usage.TotalTokens != whole.Usage.TotalTokens {
		t.Errorf("streamed %q, %s, %d tokens; whole %q, %s, %d", got.Message.Content, got.FinishReason, acc.Usage.TotalTokens,
			choice.Message.Content, choice.FinishReason, whole.Usage.TotalTokens)
	}
}

func TestCompletions(t *testing.T) {
	c, ctx := connect(t, "secret"), context.Background()
	p := openai.CompletionNewParams{
		Model: "tiny", Prompt: openai.CompletionNewParamsPromptUnion{OfArrayOfStrings: []string{"one", "two"}},
		N: openai.Int(2), MaxTokens: openai.Int(5), Seed: openai.Int(3), Echo: openai.Bool(true),
	}
	whole, err := c.Completions.New(ctx, p)
	if err != nil || len(whole.Choices) != 4 || whole.Choices[3].Text[:3] != "two" {
		t.Fatalf("%v: %+v", err, whole)
	}
	texts := make([]string, 4)
	stream := c.Completions.NewStreaming(ctx, p)
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			texts[choice.Index] += choice.Text
		}
	}
	for i, choice := range whole.Choices {
		if texts[i] != choice.Text {
			t.Errorf("choice %d: streamed %q, whole %q", i, texts[i], choice.Text)
		}
	}
	if err := stream.Err(); err != nil {
		t.Error(err)
	}
}

func TestModelsAndEmbeddings(t *testing.T) {
	c, ctx := connect(t, "secret"), context.Background()
	models, err := c.Models.List(ctx)
	if err != nil || models.Data[0].ID != "tiny" {
		t.Fatalf("%v: %+v", err, models)
	}
	if m, err := c.Models.Get(ctx, "tiny"); err != nil || m.OwnedBy != "minillm" {
		t.Errorf("%v: %+v", err, m)
	}
	e, err := c.Embeddings.New(ctx, openai.EmbeddingNewParams{Model: "tiny", Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"one", "two"}}})
	if err != nil || len(e.Data) != 2 {
		t.Fatalf("%v: %+v", err, e)
	}
	norm := 0.
	for _, x := range e.Data[1].Embedding {
		norm += x * x
	}
	if math.Abs(norm-1) > 1e-3 {
		t.Errorf("an embedding of length² %v", norm)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, key, model string
		status           int
		code             string
	}{{"wrong key", "wrong", "tiny", 401, "invalid_api_key"}, {"no such model", "secret", "large", 404, "model_not_found"}} {
		p := question(false)
		p.Model = c.model
		client := connect(t, c.key)
		_, err := client.Chat.Completions.New(context.Background(), p)
		var e *openai.Error
		if !errors.As(err, &e) || e.StatusCode != c.status || e.Code != c.code || e.Message == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
