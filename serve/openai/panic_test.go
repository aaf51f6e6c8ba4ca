package openai

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/minillm/internal/fake"
	"example.com/minillm/serve"
)

// broken is a Generator of which everything panics once it computes.
type broken struct{}

func (broken) Encode(text string) []int32 { return fake.Bytes{}.Encode(nil, text) }

func (broken) Generate(context.Context, serve.TextRequest) (iter.Seq2[serve.Piece, error], error) {
	return func(func(serve.Piece, error) bool) { panic("no text") }, nil
}

func (broken) Embed(context.Context, serve.TextRequest) ([]float32, serve.Usage, error) {
	panic("no vector")
}

// A generator's panic in a goroutine of the handlers' own, where net/http would
// not catch it, is an answer of status 500 without a stack.
func TestPanicsOfTheGenerator(t *testing.T) {
	s := httptest.NewServer(New(broken{}, fake.Bytes{}, Options{}))
	defer s.Close()
	for path, body := range map[string]string{
		"/v1/completions": `{"prompt": ["a", "b", "c"]}`,
		"/v1/embeddings":  `{"input": ["a", "b", "c"]}`,
	} {
		resp, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 500 || !strings.Contains(string(text), "panicked: no ") || strings.Contains(string(text), "goroutine") {
			t.Errorf("%s: %d %s", path, resp.StatusCode, text)
		}
	}
}
