package openai

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/minillm/internal/fake"
)

func TestCompletions(t *testing.T) {
	s := newServer(t, say(" world, and so on and on and on"))
	for _, c := range []struct {
		body, want string
		finish     string
		usage      usage
	}{
		{`"prompt": "hello>"`, " world, and so o", "length", usage{6, 16, 22, promptDetails{}}},
		{`"prompt": "hello>", "max_tokens": 6`, " world", "length", usage{6, 6, 12, promptDetails{}}},
		{`"prompt": "hello>", "max_tokens": null, "stop": ","`, " world", "stop", usage{6, 7, 13, promptDetails{}}},
		{`"prompt": "hello>", "echo": true, "max_tokens": 6`, "hello> world", "length", usage{6, 6, 12, promptDetails{}}},
		{`"prompt": [104, 105, 62], "echo": true, "max_tokens": 6`, "hi> world", "length", usage{3, 6, 9, promptDetails{}}},
		{`"prompt": ["hello>"], "max_tokens": 6`, " world", "length", usage{6, 6, 12, promptDetails{}}},
		{`"prompt": [[104, 62]], "max_tokens": 6, "suffix": null, "logprobs": null`, " world", "length", usage{2, 6, 8, promptDetails{}}},
		{`"prompt": "hello>", "echo": true, "max_tokens": 0`, "hello>", "length", usage{6, 0, 6, promptDetails{}}},
	} {
		body := `{"temperature": 0, ` + c.body
		r := ask[completionReply](t, s, "/v1/completions", body+`}`)
		if got := r.Choices[0]; got.Text != c.want || *got.Finish != c.finish || *r.Usage != c.usage || r.Object != "text_completion" || got.Logprobs != nil {
			t.Errorf("%s: %q, %s, %+v; want %q, %s, %+v", c.body, got.Text, *got.Finish, *r.Usage, c.want, c.finish, c.usage)
		}
		var text string
		for _, chunk := range decode[completionReply](t, s.events(t, "/v1/completions", body+`, "stream": true}`)) {
			text += chunk.Choices[0].Text
		}
		if text != c.want {
			t.Errorf("%s: streamed %q, want %q", c.body, text, c.want)
		}
	}
}

func TestManyPromptsAndChoices(t *testing.T) {
	s := newServer(t, say("ok"))
	want := []string{"a>ok", "a>ok", "bb>ok", "bb>ok", "ccc>ok", "ccc>ok"}
	body := `{"prompt": ["a>", "bb>", "ccc>"], "n": 2, "echo": true, "temperature": 0`
	r := ask[completionReply](t, s, "/v1/completions", body+`}`)
	streamed := make([]string, len(want))
	for _, chunk := range decode[completionReply](t, s.events(t, "/v1/completions", body+`, "stream": true}`)) {
		streamed[chunk.Choices[0].Index] += chunk.Choices[0].Text
	}
	for i, c := range r.Choices {
		if c.Index != i || c.Text != want[i] || streamed[i] != want[i] {
			t.Errorf("choice %d: index %d, %q, streamed %q; want %q", i, c.Index, c.Text, streamed[i], want[i])
		}
	}
	if len(r.Choices) != len(want) || *r.Usage != (usage{9, 18, 27, promptDetails{}}) {
		t.Errorf("%d choices, usage %+v", len(r.Choices), *r.Usage)
	}
}

func TestCompletionLogprobs(t *testing.T) {
	s := newServer(t, say("🦙!"))
	for _, c := range []struct {
		body    string
		tokens  []string
		offsets []int
	}{
		{`"prompt": "é>", "logprobs": 1`, []string{`\xf0`, `\x9f`, `\xa6`, `\x99`, "!", "<|eos|>"}, []int{0, 0, 0, 0, 1, 2}},
		{`"prompt": "é>", "logprobs": 1, "echo": true`, []string{`\xc3`, `\xa9`, ">", `\xf0`, `\x9f`, `\xa6`, `\x99`, "!", "<|eos|>"}, []int{0, 0, 1, 2, 2, 2, 2, 3, 4}},
		{`"prompt": "abc>", "logprobs": 1, "echo": true, "max_tokens": 0`, []string{"a", "b", "c", ">"}, []int{0, 1, 2, 3}},
		{`"prompt": "a>", "logprobs": 0, "echo": true, "max_tokens": 1, "n": 2`, []string{"a", ">", `\xf0`}, []int{0, 1, 2}},
	} {
		body := `{"temperature": 0, ` + c.body
		r := ask[completionReply](t, s, "/v1/completions", body+`}`)
		for _, choice := range r.Choices {
			l := choice.Logprobs
			if !slices.Equal(l.Tokens, c.tokens) || !slices.Equal(l.Offsets, c.offsets) || len(l.Logprobs) != len(c.tokens) || len(l.Top) != len(c.tokens) {
				t.Errorf("%s: %q at %v", c.body, l.Tokens, l.Offsets)
			}
			echo := strings.Contains(c.body, "echo")
			for i, x := range l.Logprobs {
				if unpredicted := echo && i == 0; (x == nil) != unpredicted || (l.Top[i] == nil) != unpredicted {
					t.Errorf("%s: token %d has %v, %v", c.body, i, x, l.Top[i])
				} else if !unpredicted && (*x > 0 || l.Top[i][l.Tokens[i]] != *x) {
					t.Errorf("%s: token %d has %v, %v", c.body, i, *x, l.Top[i])
				}
			}
			var streamed completionLogprobs
			for _, chunk := range decode[completionReply](t, s.events(t, "/v1/completions", body+`, "stream": true}`)) {
				if d := chunk.Choices[0]; d.Index == choice.Index && d.Logprobs != nil {
					streamed.Tokens = append(streamed.Tokens, d.Logprobs.Tokens...)
					streamed.Offsets = append(streamed.Offsets, d.Logprobs.Offsets...)
				}
			}
			if !slices.Equal(streamed.Tokens, c.tokens) || !slices.Equal(streamed.Offsets, c.offsets) {
				t.Errorf("%s: streamed %q at %v", c.body, streamed.Tokens, streamed.Offsets)
			}
		}
	}
}

func TestBestOf(t *testing.T) {
	s := newServer(t, &fake.Model{})
	const body = `{"prompt": "x", "seed": 3, "temperature": 2, "max_tokens": 6, "ignore_eos": true, "logprobs": 0, `
	mean := func(c completionChoice) (sum float32) {
		for _, l := range c.Logprobs.Logprobs {
			sum += *l / float32(len(c.Logprobs.Logprobs))
		}
		return sum
	}
	all := ask[completionReply](t, s, "/v1/completions", body+`"n": 6}`)
	best := ask[completionReply](t, s, "/v1/completions", body+`"n": 2, "best_of": 6}`)
	slices.SortStableFunc(all.Choices, func(a, b completionChoice) int {
		if mean(a) > mean(b) {
			return -1
		}
		return 1
	})
	for i, c := range best.Choices {
		if c.Text != all.Choices[i].Text || c.Index != i {
			t.Errorf("choice %d: %q, want %q", i, c.Text, all.Choices[i].Text)
		}
	}
	if len(best.Choices) != 2 || best.Usage.Completion != 36 {
		t.Errorf("%d choices, %d tokens", len(best.Choices), best.Usage.Completion)
	}
	if quiet := ask[completionReply](t, s, "/v1/completions", `{"prompt": "x", "best_of": 2, "max_tokens": 2}`); quiet.Choices[0].Logprobs != nil {
		t.Error("log-probabilities that nobody asked for")
	}
}

// A fixed seed, a bias and penalties reach the sampler.
func TestSamplingReachesTheModel(t *testing.T) {
	s := newServer(t, &fake.Model{Script: func([]int32) int32 { return 'x' }, Row: func(_ []int32, row []float32) { row['y'] = 19 }})
	for _, c := range []struct{ body, want string }{
		{`"temperature": 0`, "xxxx"},
		{`"temperature": 0, "logit_bias": {"121": 5}`, "yyyy"},
		{`"temperature": 0, "logit_bias": {"120": -100}`, "yyyy"},
		{`"temperature": 0, "frequency_penalty": 2`, "xyxy"},
		{`"temperature": 0, "presence_penalty": 1.5`, "xyxx"},
		{`"temperature": 0, "repeat_penalty": 1.2`, "xyxx"},
		{`"temperature": 0, "repetition_penalty": 1.2`, "xyxx"},
		{`"temperature": 2, "top_k": 1`, "xxxx"},
		{`"temperature": 2, "top_p": 0`, "xxxx"},
		{`"temperature": 2, "top_p": 0.01`, "xxxx"},
		{`"temperature": 2, "min_p": 1`, "xxxx"},
		{`"temperature": 0, "top_k": 9999999`, "xxxx"},
		{`"temperature": 0, "top_k": -1`, "xxxx"},
	} {
		r := ask[completionReply](t, s, "/v1/completions", `{"prompt": "p", "max_tokens": 4, `+c.body+`}`)
		if got := r.Choices[0].Text; got != c.want {
			t.Errorf("%s: %q, want %q", c.body, got, c.want)
		}
	}
}

func TestTemperatureIsOneByDefault(t *testing.T) {
	s := newServer(t, &fake.Model{})
	seen := map[string]bool{}
	for seed := range 10 {
		seen[ask[completionReply](t, s, "/v1/completions", fmt.Sprintf(`{"prompt": "p", "max_tokens": 8, "seed": %d}`, seed)).Choices[0].Text] = true
	}
	if len(seen) < 2 {
		t.Errorf("ten seeds, one text: %v", seen)
	}
	one := ask[completionReply](t, s, "/v1/completions", `{"prompt": "p", "max_tokens": 32}`).Choices[0].Text
	if two := ask[completionReply](t, s, "/v1/completions", `{"prompt": "p", "max_tokens": 32}`).Choices[0].Text; one == two {
		t.Error("without a seed, the same text twice")
	}
}
