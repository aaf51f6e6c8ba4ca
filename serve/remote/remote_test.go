package remote_test

import (
	"context"
	"errors"
	"flag"
	"net/http/httptest"
	"testing"

	"example.com/minillm"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/serve"
	"example.com/minillm/serve/backendtest"
	"example.com/minillm/serve/guard"
	"example.com/minillm/serve/openai"
	"example.com/minillm/serve/remote"
)

var (
	realURL     = flag.String("url", "", "run the suite against this server, too")
	realContext = flag.Int("context", 2048, "most positions of a request there")
	realEmbeds  = flag.Bool("embeds", false, "it has embeddings")
)

const limit = 512

func openTiny(t *testing.T) *minillm.Model {
	t.Helper()
	m, err := minillm.OpenBytes(tiny.GGUF(tiny.Config{Context: limit}), minillm.Options{Threads: 1, KVPositions: 8192})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// serveTiny serves a tiny model and returns the server's URL.
func serveTiny(t *testing.T) string {
	t.Helper()
	m := openTiny(t)
	api := openai.New(m.Text(), m.Tokenizer(), openai.Options{Template: m.Template(), Models: []string{"tiny"}, Context: m.Context(), Strict: true})
	s := httptest.NewServer(guard.Keys(api, []string{"secret"}))
	t.Cleanup(s.Close)
	return s.URL
}

func connect(t *testing.T, url string, o remote.Options) *remote.Model {
	t.Helper()
	m, err := remote.Open(url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestHere(t *testing.T) {
	backendtest.Run(t, openTiny(t), backendtest.Options{Context: limit})
}

func TestRemote(t *testing.T) {
	m := connect(t, serveTiny(t), remote.Options{Key: "secret"})
	backendtest.Run(t, m, backendtest.Options{Context: limit})
}

// Another server gives what it gives: -args -url http://localhost:8080.
func TestReal(t *testing.T) {
	if *realURL == "" {
		t.Skip("needs the -url of a server")
	}
	m := connect(t, *realURL, remote.Options{Extra: map[string]any{"ignore_eos": true}})
	t.Logf("testing %s", m.Name())
	backendtest.Run(t, m, backendtest.Options{Context: *realContext, NoEmbed: !*realEmbeds, Drifts: true})
}

// A program sees no difference between here and there.
func TestRemoteEqualsHere(t *testing.T) {
	var here serve.Backend = openTiny(t)
	var there serve.Backend = connect(t, serveTiny(t), remote.Options{Key: "secret"})
	ctx := context.Background()
	for _, r := range requests {
		a, err := here.Generate(ctx, "Hello", r)
		if err != nil {
			t.Fatal(err)
		}
		b, err := there.Generate(ctx, "Hello", r)
		if err != nil || a.Text != b.Text || a.Usage.CompletionTokens != b.Usage.CompletionTokens || a.Finish != b.Finish {
			t.Errorf("%+v: here %q, there %q, %v", r, a.Text, b.Text, err)
		}
		c, err := here.Chat(ctx, []serve.Message{{Role: "user", Content: "Hello"}}, r)
		if err != nil {
			t.Fatal(err)
		}
		d, err := there.Chat(ctx, []serve.Message{{Role: "user", Content: "Hello"}}, r)
		if err != nil || c.Text != d.Text || c.Usage.PromptTokens != d.Usage.PromptTokens || c.Finish != d.Finish {
			t.Errorf("%+v: chat here %q, there %q, %v", r, c.Text, d.Text, err)
		}
	}
}

func TestClose(t *testing.T) {
	m := connect(t, serveTiny(t), remote.Options{Key: "secret"})
	for p, err := range m.Stream(context.Background(), "Hello", serve.Request{}) {
		if err != nil {
			if !errors.Is(err, serve.ErrClosed) {
				t.Errorf("a request under way: %v", err)
			}
			break
		}
		if p.Usage != nil {
			t.Skip("the answer was faster than Close")
		}
		m.Close()
	}
	if _, err := m.Generate(context.Background(), "Hello", serve.Request{}); !errors.Is(err, serve.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := m.Embed(context.Background(), "Hello"); !errors.Is(err, serve.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
