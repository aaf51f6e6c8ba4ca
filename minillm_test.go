package minillm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/minillm"
	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/sampling"
	"example.com/minillm/serve"
)

// open opens a tiny random model, which is closed with the test.
func open(t testing.TB, o minillm.Options) *minillm.Model {
	t.Helper()
	m, err := minillm.OpenBytes(tiny.GGUF(tiny.Config{}), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func TestGenerateStreamsTheSame(t *testing.T) {
	m, ctx := open(t, minillm.Options{}), context.Background()
	for _, r := range []minillm.Request{
		{MaxTokens: 20},
		{MaxTokens: 20, Sampling: sampling.Params{Temperature: 1, TopK: 40, Seed: 3}},
		{MaxTokens: 20, Logprobs: true, TopLogprobs: 2},
	} {
		reply, err := m.Generate(ctx, "Once upon a time", r)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		var ids []int32
		var last minillm.Piece
		for p, err := range m.Stream(ctx, "Once upon a time", r) {
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString(p.Text)
			ids = append(ids, p.IDs...)
			last = p
		}
		if text.String() != reply.Text || !slices.Equal(ids, reply.IDs) || last.Finish != reply.Finish {
			t.Errorf("streamed %q (%v), whole %q (%v)", text.String(), last.Finish, reply.Text, reply.Finish)
		}
		if reply.Usage.CompletionTokens != 20 || reply.Finish != minillm.FinishLength {
			t.Errorf("got %+v", reply)
		}
		if reply.Timing.TTFT <= 0 || reply.Timing.Total < reply.Timing.TTFT || !(reply.TokensPerSecond() > 0) {
			t.Errorf("times that can't be: %+v", reply.Timing)
		}
		if r.Logprobs && len(reply.Logprobs) != 20 {
			t.Errorf("%d log-probabilities for 20 tokens", len(reply.Logprobs))
		}
	}
}

// Requests that share every step get what they would get alone.
func TestTogetherEqualsAlone(t *testing.T) {
	ctx := context.Background()
	ask := func(m *minillm.Model, i int) string {
		reply, err := m.Generate(ctx, fmt.Sprintf("Question %d: what is it?", i), minillm.Request{MaxTokens: 10 + i})
		if err != nil {
			t.Error(err)
			return ""
		}
		return reply.Text
	}
	var want []string
	alone := open(t, minillm.Options{Parallel: 1})
	for i := range 12 {
		want = append(want, ask(alone, i))
	}
	together := open(t, minillm.Options{KVPositions: 256}) // so few that some are preempted
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if got := ask(together, i); got != want[i] {
				t.Errorf("request %d: %q together, %q alone", i, got, want[i])
			}
		})
	}
	wg.Wait()
}

func TestChat(t *testing.T) {
	m, ctx := open(t, minillm.Options{}), context.Background()
	messages := []minillm.Message{
		{Role: "system", Content: "Answer in one sentence, and be as brief as the question allows."},
		{Role: "user", Content: "Hello"},
	}
	first, err := m.Chat(ctx, messages, minillm.Request{MaxTokens: 8})
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.Chat(ctx, messages, minillm.Request{MaxTokens: 8})
	if err != nil {
		t.Fatal(err)
	}
	if first.Text != again.Text {
		t.Errorf("%q, then %q from a shared prefix", first.Text, again.Text)
	}
	if again.Usage.CachedTokens == 0 || again.Usage.CachedTokens >= again.Usage.PromptTokens {
		t.Errorf("the second time %d of %d prompt tokens were cached", again.Usage.CachedTokens, again.Usage.PromptTokens)
	}
	if _, err := m.Chat(ctx, nil, minillm.Request{}); !errors.Is(err, minillm.ErrInvalid) {
		t.Errorf("a chat without messages: %v", err)
	}
}

func TestEmbed(t *testing.T) {
	m := open(t, minillm.Options{})
	v, err := m.Embed(context.Background(), "a text")
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.Abs(sum-1) > 1e-4 {
		t.Errorf("an embedding of length %v", math.Sqrt(sum))
	}
}

// What is computed of a text under a salt is found by requests under the same one only.
func TestEmbeddingsKeepTheirSalt(t *testing.T) {
	m, ctx := open(t, minillm.Options{}), context.Background()
	text := strings.Repeat("a secret ", 30)
	mine := minillm.Request{MaxTokens: 1, Salt: "mine"}
	if _, _, err := m.Text().Embed(ctx, serve.TextRequest{Request: mine, Prompt: m.Text().Encode(text)}); err != nil {
		t.Fatal(err)
	}
	for _, r := range []minillm.Request{{MaxTokens: 1}, mine} {
		reply, err := m.Generate(ctx, text, r)
		if err != nil {
			t.Fatal(err)
		}
		if found := reply.Usage.CachedTokens > 0; found != (r.Salt == "mine") {
			t.Errorf("under the salt %q %d tokens were found", r.Salt, reply.Usage.CachedTokens)
		}
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	m, ctx := open(t, minillm.Options{Context: 64}), context.Background()
	if _, err := m.Generate(ctx, "", minillm.Request{}); !errors.Is(err, minillm.ErrEmpty) {
		t.Errorf("an empty prompt: %v", err)
	}
	if _, err := m.Generate(ctx, strings.Repeat("word ", 100), minillm.Request{}); !errors.Is(err, minillm.ErrTooLong) {
		t.Errorf("a prompt longer than the context: %v", err)
	}
	if _, err := m.Generate(ctx, "x", minillm.Request{Sampling: sampling.Params{Temperature: math.NaN()}}); !errors.Is(err, minillm.ErrInvalid) {
		t.Errorf("a temperature of NaN: %v", err)
	}
	late := minillm.Request{Deadline: time.Now().Add(-time.Second)}
	if r, err := m.Generate(ctx, "x", late); err != nil || r.Finish != minillm.FinishTimeout {
		t.Errorf("a deadline that has passed: %+v, %v", r, err)
	}
	if r, err := m.Generate(ctx, "still there?", minillm.Request{}); err != nil || r.Usage.PromptTokens+r.Usage.CompletionTokens > 65 {
		t.Errorf("to the end of a context of 64: %+v, %v", r, err)
	}
}

// A context beyond the trained one, of 512 positions, can be used to its end.
func TestExtendGoesOnWhereTrainingEnded(t *testing.T) {
	m := open(t, minillm.Options{Context: 1024, Extend: true})
	r, err := m.Generate(context.Background(), strings.Repeat("word ", 150), minillm.Request{})
	if err != nil {
		t.Fatal(err)
	}
	all := r.Usage.PromptTokens + r.Usage.CompletionTokens
	if r.Usage.PromptTokens <= 512 || r.Finish == minillm.FinishLength && all != m.Context()+1 {
		t.Errorf("%+v, %v in a context of %d", r.Usage, r.Finish, m.Context())
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole := tiny.GGUF(tiny.Config{})
	for _, c := range []struct{ name, path string }{
		{"missing", filepath.Join(dir, "missing.gguf")},
		{"a directory", dir},
		{"empty", write("empty.gguf", nil)},
		{"a text", write("text.gguf", []byte("Once upon a time there was a file that was no model."))},
		{"truncated", write("truncated.gguf", whole[:len(whole)-len(whole)/3])},
		{"header only", write("header.gguf", whole[:24])},
	} {
		m, err := minillm.Open(c.path, minillm.Options{})
		if err == nil {
			m.Close()
			t.Errorf("%s: no error", c.name)
			continue
		}
		if !strings.Contains(err.Error(), filepath.Base(c.path)) {
			t.Errorf("%s: %q does not name the file", c.name, err)
		}
	}
	var format *minillm.FormatError
	if _, err := minillm.OpenBytes(whole[:1000], minillm.Options{}); !errors.As(err, &format) {
		t.Errorf("a truncated file: %v is no FormatError", err)
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	for _, o := range []minillm.Options{{Threads: -1}, {Context: -1}, {Context: 1 << 20}, {KV: -1}, {KV: 1}, {KV: 1 << 20, KVPositions: 64}, {Parallel: -1}} {
		if m, err := minillm.OpenBytes(tiny.GGUF(tiny.Config{}), o); err == nil {
			m.Close()
			t.Errorf("%+v: no error", o)
		}
	}
}

// A context that is smaller than any pool would be is one for which little is enough.
func TestSmallContext(t *testing.T) {
	m := open(t, minillm.Options{Context: 32, Parallel: 1})
	r, err := m.Generate(context.Background(), "x", minillm.Request{})
	if err != nil || m.Context() != 32 || r.Usage.PromptTokens+r.Usage.CompletionTokens > 33 {
		t.Errorf("a context of %d: %+v, %v", m.Context(), r, err)
	}
}

// Options may be as large as they can: the pool is what memory allows.
func TestLargeOptions(t *testing.T) {
	for _, o := range []minillm.Options{{Parallel: math.MaxInt}, {Context: math.MaxInt, Extend: true}} {
		m := open(t, o)
		if r, err := m.Generate(context.Background(), "x", minillm.Request{MaxTokens: 2}); err != nil {
			t.Errorf("%+v: %+v, %v", o, r, err)
		}
	}
}

// Some files have a chat template that is empty.
func TestEmptyTemplateIsNone(t *testing.T) {
	m, err := minillm.OpenBytes(tinyWith(t, "tokenizer.chat_template", " \n"), minillm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Generate(context.Background(), "x", minillm.Request{MaxTokens: 1}); err != nil {
		t.Error(err)
	}
	hello := []minillm.Message{{Role: "user", Content: "Hello"}}
	if _, err := m.Chat(context.Background(), hello, minillm.Request{}); !errors.Is(err, minillm.ErrNoTemplate) {
		t.Errorf("a chat: %v", err)
	}
	if m.Template() != nil {
		t.Error("there is a template")
	}
}

// tinyWith is a tiny model with another value of one key.
func tinyWith(t *testing.T, key string, value any) []byte {
	f, err := gguf.Parse(tiny.GGUF(tiny.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	kv := []gguf.KV{{Key: key, Value: value}}
	for _, k := range f.Keys() {
		if x, _ := f.Get(k); k != key {
			kv = append(kv, gguf.KV{Key: k, Value: x})
		}
	}
	var file bytes.Buffer
	if err := gguf.Write(&file, kv, f.Tensors); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestCloseEndsRequestsAndLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		m, err := minillm.OpenBytes(tiny.GGUF(tiny.Config{}), minillm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got error
		for _, err := range m.Stream(context.Background(), "on and on", minillm.Request{}) {
			if got = err; err != nil {
				break
			}
			go m.Close()
		}
		if got != nil && !errors.Is(got, minillm.ErrClosed) {
			t.Errorf("the stream ended with %v", got)
		}
		m.Close()
		if err := m.Close(); err != nil {
			t.Errorf("closed again: %v", err)
		}
		if _, err := m.Generate(context.Background(), "x", minillm.Request{}); !errors.Is(err, minillm.ErrClosed) {
			t.Errorf("a request after Close: %v", err)
		}
	}
	for deadline := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}
