// Package backendtest tests what every serve.Backend must do: the one that
// computes here, and those on other machines. A program that passes from one to
// the other relies on nothing else.
package backendtest

import (
	"context"
	"errors"
	"iter"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/sampling"
	"example.com/minillm/serve"
)

// Options say what is behind a backend.
type Options struct {
	Context int  // most positions of a request
	NoChat  bool // its model has no chat template
	NoEmbed bool // it embeds nothing
	Drifts  bool // equal requests may be answered differently beside others
}

// Run tests a backend, whose model must go on for 100 tokens after any prompt.
func Run(t *testing.T, b serve.Backend, o Options) {
	s := suite{b, o}
	t.Run("Generate", func(t *testing.T) { s.kinds(t, s.whole) })
	t.Run("Stream", func(t *testing.T) { s.kinds(t, s.streamed) })
	t.Run("Stop", func(t *testing.T) { s.kinds(t, s.stop) })
	t.Run("Sampling", func(t *testing.T) { s.kinds(t, s.sampling) })
	t.Run("Logprobs", func(t *testing.T) { s.kinds(t, s.logprobs) })
	t.Run("Cancel", func(t *testing.T) { s.kinds(t, s.cancel) })
	t.Run("Leave", func(t *testing.T) { s.kinds(t, s.leave) })
	t.Run("Deadline", func(t *testing.T) { s.kinds(t, s.deadline) })
	t.Run("TooLong", func(t *testing.T) { s.kinds(t, s.tooLong) })
	t.Run("Invalid", func(t *testing.T) { s.kinds(t, s.invalid) })
	t.Run("NoMessages", s.noMessages)
	t.Run("Together", func(t *testing.T) { s.kinds(t, s.together) })
	t.Run("Embed", s.embed)
}

type suite struct {
	serve.Backend
	o Options
}

// kind is one of the two ways to ask: with a text or with a conversation.
type kind struct {
	whole  func(context.Context, string, serve.Request) (*serve.Reply, error)
	stream func(context.Context, string, serve.Request) iter.Seq2[serve.Piece, error]
}

func (s suite) kinds(t *testing.T, test func(*testing.T, kind)) {
	t.Run("text", func(t *testing.T) { test(t, kind{s.Generate, s.Stream}) })
	t.Run("chat", func(t *testing.T) {
		if s.o.NoChat {
			t.Skip("the model has no chat template")
		}
		test(t, kind{
			func(ctx context.Context, text string, r serve.Request) (*serve.Reply, error) {
				return s.Chat(ctx, conversation(text), r)
			},
			func(ctx context.Context, text string, r serve.Request) iter.Seq2[serve.Piece, error] {
				return s.ChatStream(ctx, conversation(text), r)
			},
		})
	})
}

func conversation(text string) []serve.Message {
	return []serve.Message{
		{Role: "system", Content: "Tell stories."},
		{Role: "user", Content: "Hello"},
		{Role: "assistant", Content: "Hi. What about?"},
		{Role: "user", Content: text},
	}
}

const prompt = "Once upon a time, in a village by the sea,"

// ask fails the test where there is no answer.
func (k kind) ask(t *testing.T, text string, r serve.Request) *serve.Reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	reply, err := k.whole(ctx, text, r)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func (s suite) whole(t *testing.T, k kind) {
	reply := k.ask(t, prompt, serve.Request{MaxTokens: 12})
	if reply.Text == "" || reply.Finish != batch.Length {
		t.Errorf("the answer is %q and ended by %v", reply.Text, reply.Finish)
	}
	if u := reply.Usage; u.CompletionTokens != 12 || u.PromptTokens < 5 || u.CachedTokens >= u.PromptTokens {
		t.Errorf("usage %+v of 12 tokens", u)
	}
	if d := reply.Timing; d.TTFT <= 0 || d.TTFT > d.Total || d.Queued > d.TTFT || reply.TokensPerSecond() <= 0 {
		t.Errorf("timing %+v", d)
	}
}

func (s suite) streamed(t *testing.T, k kind) {
	want := k.ask(t, prompt, serve.Request{MaxTokens: 20})
	var text strings.Builder
	var last serve.Piece
	for p, err := range k.stream(context.Background(), prompt, serve.Request{MaxTokens: 20}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case last.Finish != batch.Running:
			t.Error("a piece after the last one")
		case (p.Finish != batch.Running) != (p.Usage != nil) || (p.Usage != nil) != (p.Timing != nil):
			t.Errorf("finish, usage and timing come together, got %+v", p)
		}
		text.WriteString(p.Text)
		last = p
	}
	if text.String() != want.Text || last.Finish != want.Finish {
		t.Errorf("streamed %q, %v; whole %q, %v", text.String(), last.Finish, want.Text, want.Finish)
	}
	if last.Usage != nil && last.Usage.CompletionTokens != want.Usage.CompletionTokens {
		t.Errorf("streamed usage %+v, whole %+v", *last.Usage, want.Usage)
	}
}

// stop asks again with a stop string out of the middle of the answer.
func (s suite) stop(t *testing.T, k kind) {
	whole := []rune(k.ask(t, prompt, serve.Request{MaxTokens: 40}).Text)
	if len(whole) < 12 {
		t.Fatalf("an answer too short to stop: %q", string(whole))
	}
	stop := string(whole[len(whole)/2 : len(whole)/2+3])
	want, _, _ := strings.Cut(string(whole), stop)
	reply := k.ask(t, prompt, serve.Request{MaxTokens: 40, Stop: []string{"never said", stop}})
	if reply.Text != want || reply.Finish != batch.Stop {
		t.Errorf("with stop string %q: %q, %v; want %q", stop, reply.Text, reply.Finish, want)
	}
}

func (s suite) sampling(t *testing.T, k kind) {
	drawn := func(p sampling.Params) string {
		return k.ask(t, prompt, serve.Request{MaxTokens: 16, Sampling: p}).Text
	}
	greedy := drawn(sampling.Params{})
	hot := sampling.Params{Temperature: 2, Seed: 1 << 40}
	first := drawn(hot)
	if again := drawn(hot); again != first && !s.o.Drifts {
		t.Errorf("one seed, two texts: %q and %q", first, again)
	}
	if first == greedy {
		t.Errorf("temperature 2 drew the greedy text, %q", first)
	}
	texts := map[string]bool{}
	for seed := range uint64(4) {
		texts[drawn(sampling.Params{Temperature: 2, Seed: seed})] = true
	}
	if len(texts) == 1 {
		t.Errorf("four seeds drew one text, %q", first)
	}
	for name, p := range map[string]sampling.Params{
		"TopK": {Temperature: 2, Seed: 3, TopK: 1}, "TopP": {Temperature: 2, Seed: 3, TopP: 1e-6}, "MinP": {Temperature: 2, Seed: 3, MinP: 1},
	} {
		if got := drawn(p); got != greedy {
			t.Errorf("%s of the best token alone drew %q, greedy is %q", name, got, greedy)
		}
	}
	for name, p := range map[string]sampling.Params{"RepetitionPenalty": {RepetitionPenalty: 3}, "FrequencyPenalty": {FrequencyPenalty: 2, RepetitionPenalty: 1.5}} {
		if got := drawn(p); got == greedy {
			t.Errorf("%s changed nothing of %q", name, got)
		}
	}
}

func (s suite) logprobs(t *testing.T, k kind) {
	reply := k.ask(t, prompt, serve.Request{MaxTokens: 6, Logprobs: true, TopLogprobs: 3})
	if len(reply.Logprobs) != 6 {
		t.Fatalf("%d log-probabilities of 6 tokens", len(reply.Logprobs))
	}
	for i, l := range reply.Logprobs {
		switch {
		case l.Logprob.Logprob > 0 || l.Logprob.Logprob < -100 || len(l.Top) != 3:
			t.Errorf("token %d: %+v", i, l)
		case math.Abs(float64(l.Top[0].Logprob-l.Logprob.Logprob)) > 1e-3 || l.Top[0].Logprob < l.Top[2].Logprob:
			t.Errorf("token %d: a greedy choice of %v among %v", i, l.Logprob, l.Top)
		}
	}
}

// long is a request that would take a while.
func (s suite) long() serve.Request {
	return serve.Request{MaxTokens: s.o.Context / 2, Sampling: sampling.Params{Temperature: 1, Seed: 4}}
}

// cancel ends a context in the middle of an answer, and before it.
func (s suite) cancel(t *testing.T, k kind) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	seen := 0
	for p, err := range k.stream(ctx, prompt, s.long()) {
		if err != nil {
			if !errors.Is(err, cause) {
				t.Errorf("a context that ended with %q gave %q", cause, err)
			}
			break
		}
		if p.Finish != batch.Running {
			t.Skip("the answer was faster than its cancellation")
		}
		seen++
		cancel(cause)
	}
	if seen == 0 {
		t.Error("no piece before the cancellation")
	}
	if _, err := k.whole(ctx, prompt, serve.Request{MaxTokens: 2}); !errors.Is(err, cause) {
		t.Errorf("a request under a context that had ended: %v", err)
	}
	k.ask(t, prompt, serve.Request{MaxTokens: 2})
}

func (s suite) leave(t *testing.T, k kind) {
	for range 5 {
		for _, err := range k.stream(context.Background(), prompt, s.long()) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	k.ask(t, prompt, serve.Request{MaxTokens: 2})
}

// deadline: the request ends by then without an error, with what there is.
func (s suite) deadline(t *testing.T, k kind) {
	r := s.long()
	r.Deadline = time.Now().Add(-time.Second)
	if reply := k.ask(t, prompt, r); reply.Finish != batch.Timeout || reply.Text != "" {
		t.Errorf("after its deadline: %q, %v", reply.Text, reply.Finish)
	}
	r.Deadline = time.Now().Add(20 * time.Second)
	r.MaxTokens = 3
	if reply := k.ask(t, prompt, r); reply.Finish != batch.Length {
		t.Errorf("long before its deadline: %v", reply.Finish)
	}
}

func (s suite) tooLong(t *testing.T, k kind) {
	_, err := k.whole(context.Background(), strings.Repeat("too long ", s.o.Context), serve.Request{MaxTokens: 2})
	if !errors.Is(err, batch.ErrTooLong) {
		t.Errorf("got %v", err)
	}
}

func (s suite) invalid(t *testing.T, k kind) {
	for _, p := range []sampling.Params{{Temperature: -1}, {TopP: 2}, {TopK: -3}, {RepetitionPenalty: 1e9}} {
		if _, err := k.whole(context.Background(), prompt, serve.Request{MaxTokens: 2, Sampling: p}); !errors.Is(err, serve.ErrInvalid) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if _, err := k.whole(context.Background(), prompt, serve.Request{MaxTokens: -1}); !errors.Is(err, serve.ErrInvalid) {
		t.Errorf("a negative number of tokens: %v", err)
	}
}

func (s suite) noMessages(t *testing.T) {
	if _, err := s.Chat(context.Background(), nil, serve.Request{MaxTokens: 2}); !errors.Is(err, serve.ErrInvalid) {
		t.Errorf("a conversation without a message: %v", err)
	}
}

// together asks from many goroutines, and compares with what is answered alone.
func (s suite) together(t *testing.T, k kind) {
	prompts := []string{"One day", "Two dogs", "Three ships", "Four winds", "Five of them"}
	alone := make([]string, len(prompts))
	for i, p := range prompts {
		alone[i] = k.ask(t, p, serve.Request{MaxTokens: 10}).Text
	}
	var wg sync.WaitGroup
	for i := range 4 * len(prompts) {
		wg.Go(func() {
			reply, err := k.whole(context.Background(), prompts[i%len(prompts)], serve.Request{MaxTokens: 10})
			switch {
			case err != nil:
				t.Error(err)
			case reply.Text != alone[i%len(prompts)] && !s.o.Drifts:
				t.Errorf("together %q, alone %q", reply.Text, alone[i%len(prompts)])
			}
		})
	}
	wg.Wait()
}

func (s suite) embed(t *testing.T) {
	if s.o.NoEmbed {
		t.Skip("it embeds nothing")
	}
	a := s.vector(t, "A cat sits on the mat.")
	if again := s.vector(t, "A cat sits on the mat."); dot(a, again) < 0.999 {
		t.Errorf("the same text twice: cosine %v", dot(a, again))
	}
	if other := s.vector(t, "Interest rates rose."); dot(a, other) > 0.99999 {
		t.Errorf("another text: cosine %v", dot(a, other))
	}
}

func (s suite) vector(t *testing.T, text string) []float32 {
	t.Helper()
	v, err := s.Embed(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	if n := dot(v, v); math.Abs(n-1) > 1e-3 {
		t.Errorf("the embedding of %q has length² %v", text, n)
	}
	return v
}

func dot(a, b []float32) (sum float64) {
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
