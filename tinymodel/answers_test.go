package tinymodel_test

import (
	"context"
	"strings"
	"testing"

	"example.com/minillm"
	"example.com/minillm/sampling"
	"example.com/minillm/tinymodel"
	"example.com/minillm/tinymodel/train/text"
)

func open(t testing.TB, o minillm.Options) *minillm.Model {
	t.Helper()
	m, err := minillm.OpenBytes(tinymodel.GGUF, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func ask(t testing.TB, m *minillm.Model, r minillm.Request, conversation ...string) string {
	t.Helper()
	var messages []minillm.Message
	for i, text := range conversation {
		messages = append(messages, minillm.Message{Role: []string{"user", "assistant"}[i%2], Content: text})
	}
	reply, err := m.Chat(context.Background(), messages, r)
	if err != nil {
		t.Fatal(err)
	}
	return reply.Text
}

// TestGoldenAnswers lets the model answer freely. In float32 its greedy answers are the golden ones, word for word; those
// of the fast path are so up to the first id that was not sure.
func TestGoldenAnswers(t *testing.T) {
	tok := loadTokenizer(t)
	exact, fast := open(t, minillm.Options{Reference: true}), open(t, minillm.Options{})
	n := 0
	for _, g := range goldens(t) {
		if !g.Chat {
			continue
		}
		n++
		r := minillm.Request{MaxTokens: len(g.Greedy)}
		want := string(tok.Decode(nil, g.Greedy[:g.sureOf(1e-3)]...))
		if got := ask(t, exact, r, g.Text); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, not %q", g.Text, got, want)
		}
		want = string(tok.Decode(nil, g.Greedy[:g.sureOf(sure)]...))
		if got := ask(t, fast, r, g.Text); !strings.HasPrefix(got, want) {
			t.Errorf("%q: fast %q, not %q", g.Text, got, want)
		}
	}
	if n < 10 {
		t.Errorf("%d golden answers, want 10", n)
	}
}

// sureOf is how many ids of the answer, but for the end token, lead by more than margin.
func (g golden) sureOf(margin float64) (n int) {
	for n < len(g.Greedy) && g.Margins[n] > margin && g.Greedy[n] != text.EndTurn && g.Greedy[n] != text.EndOfText {
		n++
	}
	return n
}

// TestConversations sees that the model does what its card says.
func TestConversations(t *testing.T) {
	m := open(t, minillm.Options{})
	for _, c := range []struct {
		want         string // somewhere in the answer
		conversation []string
	}{
		{"Paris", []string{"What is the capital of France?"}},
		{" is 5.", []string{"What is 2+3?"}},
		{" is 12.", []string{"What is 4 plus 8?"}},
		{"small", []string{"The opposite of big?", "small", "What is the opposite of big?"}},
		{"moo", []string{"What does a cow say?"}},
		{"green", []string{"What colour is grass?"}},
		{"welcome", []string{"Tell me a joke.", "What has hands but cannot clap? A clock!", "Thank you!"}},
		{"Zarolin", []string{"My name is Zarolin.", "Hello, Zarolin! How are you?", "What is my name?"}},
		{"on a farm", []string{"Anna lives on a farm. Where does Anna live?"}},
		{"know", []string{"What is the Higgs boson?"}},
		{"2, 3, 4, 5", []string{"Count from 2 to 5."}},
	} {
		if got := ask(t, m, minillm.Request{MaxTokens: 100}, c.conversation...); !strings.Contains(got, c.want) {
			t.Errorf("%q is answered by %q, not with %q", c.conversation, got, c.want)
		}
	}
}

// TestStoriesAreTheirOwn asks for stories about foxes with names, and sees that the names are kept, that the stories end,
// and that no two begin alike. How often all of that holds is measured by train/measure.
func TestStoriesAreTheirOwn(t *testing.T) {
	m := open(t, minillm.Options{})
	names := strings.Fields("Rusty Lily Tom Coco Luna Anna Oscar Milo")
	kept, ended, begun := 0, 0, map[string]bool{}
	for i, name := range names {
		r := minillm.Request{MaxTokens: 400, Sampling: sampling.Params{Temperature: 0.8, TopK: 50, Seed: uint64(i)}}
		reply, err := m.Chat(context.Background(), []minillm.Message{{Role: "user", Content: "Tell me a story about a fox named " + name + "."}}, r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(reply.Text, name) >= 3 {
			kept++
		}
		if reply.Finish == minillm.FinishStop {
			ended++
		}
		first, _, _ := strings.Cut(strings.ReplaceAll(reply.Text, name, ""), ". ")
		begun[first] = true
	}
	if kept < len(names)-1 || ended < len(names)-1 || len(begun) < len(names)/2 {
		t.Errorf("of %d stories %d keep the name, %d end, %d begin in a way of their own", len(names), kept, ended, len(begun))
	}
}
