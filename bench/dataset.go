package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
)

// Dataset is a file of recorded prompts: a JSON array of conversations as
// ShareGPT has them, or JSONL with one request a line.
//
//	{"conversations": [{"from": "human", "value": "…"}, {"from": "gpt", "value": "…"}, …]}
//	{"prompt": "…", "max_tokens": 64}
//	{"messages": [{"role": "user", "content": "…"}], "max_tokens": 64}
//
// Both forms of lines may stand in either kind of file.
type Dataset struct {
	Turns  int    // most turns of a conversation: 1
	Output Length // most tokens of an answer where the file does not say; zero: what the recorded answer may have had
	Seed   uint64 // of the draw; 0 takes the requests as they stand
}

// Requests reads n requests, again from the first where the file has fewer. Conversations
// that no user begins are passed over.
func (d Dataset) Requests(file io.Reader, n int) ([]Request, error) {
	var all []Request
	r := rand.New(rand.NewPCG(d.Seed, 'd'))
	err := records(file, func(data []byte) error {
		var rec record
		if err := json.Unmarshal(data, &rec); err != nil {
			return err
		}
		if q, ok := d.request(rec, r); ok {
			all = append(all, q)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("bench: prompts: %w", err)
	case len(all) == 0:
		return nil, errors.New("bench: prompts: no request in the file")
	}
	if d.Seed != 0 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	requests := make([]Request, n)
	for i := range requests {
		requests[i] = all[i%len(all)]
	}
	return requests, nil
}

// records calls each for every element of a JSON array or every line of JSONL.
func records(file io.Reader, each func(data []byte) error) error {
	in := bufio.NewReader(file)
	d := json.NewDecoder(in)
	array, err := begins(in, '[')
	if err != nil {
		return err
	}
	if array {
		d.Token()
	}
	for i := 1; d.More(); i++ {
		var data json.RawMessage
		err := d.Decode(&data)
		if err == nil {
			err = each(data)
		}
		if err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
	}
	switch _, err := d.Token(); {
	case array && err != nil:
		return errors.New("the array of records does not end")
	case !array && err != io.EOF:
		return errors.New("what follows the last record is none")
	}
	return nil
}

// begins reports whether the first byte that is no space is b, which stays.
func begins(in *bufio.Reader, b byte) (bool, error) {
	for {
		next, err := in.Peek(1)
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if len(bytes.TrimSpace(next)) > 0 {
			return next[0] == b, nil
		}
		in.Discard(1)
	}
}

// record is one request as files have it.
type record struct {
	Messages      []Message `json:"messages"`
	Prompt        string    `json:"prompt"`
	MaxTokens     int       `json:"max_tokens"`
	Conversations []struct {
		From  string `json:"from"`
		Value string `json:"value"`
	} `json:"conversations"`
}

// request makes a request of a record, if a user says something in it.
func (d Dataset) request(rec record, r *rand.Rand) (q Request, ok bool) {
	if rec.Prompt != "" {
		rec.Messages = append(rec.Messages, Message{"user", rec.Prompt})
	}
	if len(rec.Messages) > 0 {
		return Request{Messages: rec.Messages, MaxTokens: d.length(rec.MaxTokens, "", r)}, true
	}
	turns := d.turns(rec, r)
	if len(turns) == 0 {
		return Request{}, false
	}
	if first := rec.Conversations[0]; first.From == "system" {
		q.Messages = []Message{{"system", first.Value}}
	}
	q.Messages = append(q.Messages, Message{"user", turns[0].Content})
	q.MaxTokens, q.Then = turns[0].MaxTokens, turns[1:]
	return q, true
}

// turns are what the user of a conversation says; the answers are for the
// target to give, and tell only how long they may become.
func (d Dataset) turns(rec record, r *rand.Rand) (turns []Turn) {
	for i, t := range rec.Conversations {
		if len(turns) == max(d.Turns, 1) {
			break
		}
		if t.From != "human" && t.From != "user" {
			continue
		}
		answer := ""
		if i+1 < len(rec.Conversations) {
			answer = rec.Conversations[i+1].Value
		}
		turns = append(turns, Turn{Content: t.Value, MaxTokens: d.length(rec.MaxTokens, answer, r)})
	}
	return turns
}

// length is how long an answer may become. Of a recorded one it is guessed: a
// token is about four bytes of English.
func (d Dataset) length(own int, answer string, r *rand.Rand) int {
	switch {
	case own > 0:
		return own
	case d.Output.Max > 0:
		return d.Output.draw(r)
	}
	return (len(answer) + 3) / 4
}
