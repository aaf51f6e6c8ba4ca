package serve

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/minillm/batch"
	"example.com/minillm/internal/fake"
	"example.com/minillm/sampling"
)

// answer returns the pieces that a model which answers "hi" with script gives.
func answer(t *testing.T, script string, r TextRequest) (pieces []Piece, reply *Reply) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r.Prompt = fake.Bytes{}.Encode(nil, "hi")
		m := &fake.Model{Script: fake.Say(script, 2)}
		text := Text{Engine: start(t, m, Options{}), Tokenizer: fake.Bytes{}}
		seq, err := text.Generate(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for p, err := range seq {
			if err != nil {
				t.Fatal(err)
			}
			pieces = append(pieces, p)
		}
		if reply, err = text.Complete(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	})
	return pieces, reply
}

func TestTextStreamedEqualsWhole(t *testing.T) {
	for _, c := range []struct {
		name, script string
		r            Request
		include      bool
		want         string
		finish       batch.Finish
		tokens       int
	}{
		{"to the end token", "Hello.", Request{}, false, "Hello.", batch.Stop, 7},
		{"most tokens", "Hello.", Request{MaxTokens: 3}, false, "Hel", batch.Length, 3},
		{"stop string", "one two three", Request{Stop: []string{"two"}}, false, "one ", batch.Stop, 7},
		{"stop string included", "one two three", Request{Stop: []string{"two"}}, true, "one two", batch.Stop, 7},
		{"false start of a stop string", "one tw", Request{Stop: []string{"two"}}, false, "one tw", batch.Stop, 7},
		{"characters of many bytes", "你好🦙é", Request{}, false, "你好🦙é", batch.Stop, 13},
		{"half a character at the end", "a🦙", Request{MaxTokens: 3}, false, "a\ufffd\ufffd", batch.Length, 3},
		{"invalid bytes", "\x80\x80a", Request{}, false, "\ufffd\ufffda", batch.Stop, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			pieces, reply := answer(t, c.script, TextRequest{Request: c.r, IncludeStop: c.include})
			var joined strings.Builder
			var ids []int32
			for _, p := range pieces {
				joined.WriteString(p.Text)
				ids = append(ids, p.IDs...)
			}
			last := pieces[len(pieces)-1]
			if joined.String() != c.want || reply.Text != c.want {
				t.Errorf("streamed %q, whole %q, want %q", joined.String(), reply.Text, c.want)
			}
			if last.Finish != c.finish || reply.Finish != c.finish {
				t.Errorf("finish %v streamed, %v whole, want %v", last.Finish, reply.Finish, c.finish)
			}
			if last.Usage.CompletionTokens != c.tokens || len(ids) != c.tokens || !slices.Equal(ids, reply.IDs) {
				t.Errorf("usage says %d tokens, %d ids streamed, %d whole; want %d", last.Usage.CompletionTokens, len(ids), len(reply.IDs), c.tokens)
			}
		})
	}
}

// A reader that takes its time must not make the engine run on past a stop
// string: the text layer reads in a goroutine of its own.
func TestStopStringEndsComputingDespiteSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fake.Model{Script: fake.Say("a END and so on and on and on and on and on", 2)}
		text := Text{Engine: start(t, m, Options{}), Tokenizer: fake.Bytes{}}
		seq, err := text.Generate(context.Background(), TextRequest{
			Prompt: fake.Bytes{}.Encode(nil, "hi"), Request: Request{Stop: []string{"END"}}})
		if err != nil {
			t.Fatal(err)
		}
		settle()
		if m.Steps > 7 {
			t.Errorf("%d steps, want about the 5 up to the stop string", m.Steps)
		}
		if reply, err := Collect(seq); err != nil || reply.Text != "a " {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
}

func TestChoicesDiffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := Text{Engine: start(t, &fake.Model{}, Options{}), Tokenizer: fake.Bytes{}}
		draw := func() (texts [4]string) {
			seq, err := text.Generate(context.Background(), TextRequest{Prompt: []int32{'h', 'i'}, N: 4, IgnoreEnd: true,
				Request: Request{MaxTokens: 12, Sampling: sampling.Params{Temperature: 1.5, Seed: 7}}})
			if err != nil {
				t.Fatal(err)
			}
			for p, err := range seq {
				if err != nil {
					t.Fatal(err)
				}
				texts[p.Choice] += p.Text
			}
			return texts
		}
		first := draw()
		if first != draw() {
			t.Error("the same seed gave other choices")
		}
		if first[0] == first[1] && first[1] == first[2] && first[2] == first[3] {
			t.Errorf("four choices, all %q", first[0])
		}
	})
}

func TestLogprobsComeWithTheirTokens(t *testing.T) {
	pieces, _ := answer(t, "你好", TextRequest{Request: Request{Logprobs: true, TopLogprobs: 2}})
	var n int
	for _, p := range pieces {
		if len(p.Logprobs) != len(p.IDs) {
			t.Errorf("%d log-probabilities for %d tokens", len(p.Logprobs), len(p.IDs))
		}
		for i, l := range p.Logprobs {
			if l.ID != p.IDs[i] || len(l.Top) != 2 {
				t.Errorf("token %d has %+v", p.IDs[i], l)
			}
		}
		n += len(p.IDs)
	}
	if n != 7 {
		t.Errorf("%d tokens, want 7", n)
	}
}

func TestIgnoreEnd(t *testing.T) {
	_, reply := answer(t, "a", TextRequest{Request: Request{MaxTokens: 5}, IgnoreEnd: true})
	if reply.Finish != batch.Length || len(reply.IDs) != 5 {
		t.Errorf("got %+v", reply)
	}
}

// What watches the engine is told of the end that the client saw.
func TestStopStringIsNoCancellation(t *testing.T) {
	var told []batch.Finish
	synctest.Test(t, func(t *testing.T) {
		o := Options{Observer: Observer{Finished: func(r RequestInfo) { told = append(told, r.Finish) }}}
		text := Text{Engine: start(t, &fake.Model{Script: fake.Say("one two three", 2)}, o), Tokenizer: fake.Bytes{}}
		r := TextRequest{Prompt: fake.Bytes{}.Encode(nil, "hi"), Request: Request{Stop: []string{"two"}}}
		for range 2 {
			if _, err := text.Complete(context.Background(), r); err != nil {
				t.Fatal(err)
			}
			settle()
		}
		pieces, err := text.Generate(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for range pieces {
			break
		}
		settle()
	})
	if want := []batch.Finish{batch.Stop, batch.Stop, batch.Cancelled}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
}
