package bench

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// tokens counts a token for each word.
func tokens(text string) int { return len(strings.Fields(text)) }

func TestPrompts(t *testing.T) {
	p := Prompts{Input: Exactly(50), Output: Length{10, 20}, Prefix: 30, Share: 0.5, Prefixes: 2, Turns: 3, Think: time.Second}
	const n = 400
	requests := p.Requests(n)
	if !reflect.DeepEqual(requests, p.Requests(n)) {
		t.Fatal("the same Prompts gave other requests")
	}
	systems, users, least, most := map[string]int{}, map[string]int{}, 100, 0
	for _, r := range requests {
		if len(r.Messages) != 2 || r.Messages[0].Role != "system" || tokens(r.Messages[0].Content) != 30 || tokens(r.Messages[1].Content) != 20 {
			t.Fatalf("messages %+v", r.Messages)
		}
		if len(r.Then) != 2 || tokens(r.Then[1].Content) != 20 || r.Then[0].Think != time.Second {
			t.Fatalf("turns %+v", r.Then)
		}
		systems[r.Messages[0].Content]++
		users[r.Messages[1].Content]++
		least, most = min(least, r.MaxTokens), max(most, r.MaxTokens)
	}
	if least != 10 || most != 20 || len(users) != n {
		t.Errorf("answers of %d to %d tokens, %d different users", least, most, len(users))
	}
	shared := 0
	for _, count := range systems {
		if count > 1 {
			shared += count
		}
	}
	if len(systems) != n-shared+2 || shared < n*2/5 || shared > n*3/5 {
		t.Errorf("%d different prefixes, %d requests share one", len(systems), shared)
	}
}

// TestPromptsStay: more requests, or longer answers, leave the others as they were.
func TestPromptsStay(t *testing.T) {
	p := Prompts{Input: Length{5, 50}, Output: Length{1, 9}}
	if few, many := p.Requests(3), p.Requests(30); !reflect.DeepEqual(few, many[:3]) {
		t.Error("the first requests depend on how many there are")
	}
	q := p
	q.Seed = 7
	if reflect.DeepEqual(p.Requests(3), q.Requests(3)) {
		t.Error("another seed gave the same requests")
	}
}

// TestPromptsByTokens: with a tokenizer at hand lengths are exact, to the last word.
func TestPromptsByTokens(t *testing.T) {
	count := func(word string) int { return (len(word) + 1) / 2 }
	for _, r := range (Prompts{Input: Exactly(100), Tokens: count}).Requests(50) {
		n := 0
		for word := range strings.FieldsSeq(r.Messages[0].Content) {
			n += count(" " + word)
		}
		if n < 100 || n > 104 {
			t.Errorf("%d tokens", n)
		}
	}
}

func TestVocabulary(t *testing.T) {
	seen := map[string]bool{}
	for _, word := range vocabulary {
		if seen[word] || strings.ToLower(word) != word {
			t.Errorf("%q stands twice or is no plain word", word)
		}
		seen[word] = true
	}
}

func TestDataset(t *testing.T) {
	const jsonl = `
{"prompt": "one"}
{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "two"}], "max_tokens": 9}

{"conversations": [{"from": "gpt", "value": "no user"}]}
`
	const shareGPT = `[
		{"id": "a", "conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "12345678"}, {"from": "human", "value": "more"}, {"from": "gpt", "value": "1"}]},
		{"id": "b", "conversations": [{"from": "system", "value": "s"}, {"from": "user", "value": "ho"}]}]`
	one := Request{Messages: []Message{{"user", "one"}}}
	two := Request{Messages: []Message{{"system", "s"}, {"user", "two"}}, MaxTokens: 9}
	a := Request{Messages: []Message{{"user", "hi"}}, MaxTokens: 2, Then: []Turn{}}
	b := Request{Messages: []Message{{"system", "s"}, {"user", "ho"}}, Then: []Turn{}}
	twice := a
	twice.Then = []Turn{{Content: "more", MaxTokens: 1}}
	fixed := a
	fixed.MaxTokens = 5
	for _, test := range []struct {
		name, file string
		d          Dataset
		n          int
		want       []Request
	}{
		{"lines", jsonl, Dataset{}, 3, []Request{one, two, one}},
		{"conversations", shareGPT, Dataset{}, 2, []Request{a, b}},
		{"turns", shareGPT, Dataset{Turns: 5}, 1, []Request{twice}},
		{"lengths", shareGPT, Dataset{Output: Exactly(5)}, 1, []Request{fixed}},
	} {
		got, err := test.d.Requests(strings.NewReader(test.file), test.n)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, %v", test.name, got, err)
		}
	}
	drawn, err := Dataset{Seed: 4}.Requests(strings.NewReader(jsonl+jsonl+jsonl), 6)
	if again, _ := (Dataset{Seed: 4}).Requests(strings.NewReader(jsonl+jsonl+jsonl), 6); err != nil || !reflect.DeepEqual(drawn, again) {
		t.Errorf("a draw that is not repeatable: %v", err)
	}
}

func TestDatasetErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "no request in the file",
		"[]":                             "no request in the file",
		`{"conversations": []}`:          "no request in the file",
		"{\"prompt\": \"a\"}\n{\"prompt": "record 2: ",
		`[{"prompt": "a"}, 5]`:           "record 2: ",
		`{"prompt": 7}`:                  "record 1: ",
		`[{"prompt": "a"}`:               "does not end",
		`{"prompt": "a"} ]`:              "is none",
	} {
		if _, err := (Dataset{}).Requests(strings.NewReader(text), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestReplay(t *testing.T) {
	const file = `{"timestamp": 11000, "input_length": 700, "output_length": 8, "hash_ids": [3, 9]}
{"timestamp": 10500, "input_length": 600, "output_length": 9, "hash_ids": [3, 4]}
{"at": 12.5, "prompt": "hello", "max_tokens": 4}
`
	requests, starts, err := Replay(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(starts, []time.Duration{0, 500 * ms, 2 * time.Second}) {
		t.Errorf("starts %v", starts)
	}
	words := func(i int) []string { return strings.Fields(requests[i].Messages[0].Content) }
	if len(words(0)) != 600 || requests[0].MaxTokens != 9 || len(words(1)) != 700 || requests[2].Messages[0].Content != "hello" {
		t.Errorf("requests of %d and %d words", len(words(0)), len(words(1)))
	}
	if !reflect.DeepEqual(words(0)[:512], words(1)[:512]) || reflect.DeepEqual(words(0)[512:600], words(1)[512:600]) {
		t.Error("prompts do not share what they should")
	}
	for text, want := range map[string]string{
		"":                                       "no request",
		`{"prompt": "a"}`:                        `neither "at" nor "timestamp"`,
		`{"at": 1}`:                              "no prompt",
		`{"at": 1, "prompt": ""}`:                "no prompt",
		`{"at": 1, "input_length": 99999999999}`: "input_length",
		`{"at": "now"}`:                          "record 1",
	} {
		if _, _, err := Replay(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzRecords: no file of prompts makes its reader panic.
func FuzzRecords(f *testing.F) {
	f.Add(`{"at": 1, "timestamp": 2, "input_length": 3, "hash_ids": [1], "prompt": "a"}`)
	f.Add(`[{"conversations": [{"from": "human", "value": "hi"}]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		if requests, err := (Dataset{Turns: 2}).Requests(strings.NewReader(text), 2); err == nil && len(requests[0].Messages) == 0 {
			t.Errorf("a request without messages: %+v", requests[0])
		}
		if len(text) < 200 { // longer ones may ask for long prompts, many times
			Replay(strings.NewReader(text))
		}
	})
}
