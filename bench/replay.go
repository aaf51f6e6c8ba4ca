package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Replay reads a recorded trace in JSONL: what was asked, and when. Lines have
// the time either in seconds, with a prompt as in a [Dataset], or in
// milliseconds with lengths in tokens, as the Mooncake traces have it:
//
//	{"at": 1.25, "prompt": "…", "max_tokens": 64}
//	{"at": 1.25, "messages": [{"role": "user", "content": "…"}], "max_tokens": 64}
//	{"timestamp": 1250, "input_length": 700, "output_length": 64, "hash_ids": [3, 9]}
//
// Each hash id stands for a block of 512 tokens; equal ids are made into equal
// words, so that prompts share what they shared when they were recorded. Times
// count from the first request, and lines may stand in any order.
func Replay(file io.Reader) (requests []Request, starts []time.Duration, err error) {
	var lines []replayed
	err = records(file, func(data []byte) error {
		var l replayLine
		if err := json.Unmarshal(data, &l); err != nil {
			return err
		}
		q, err := l.read(uint64(len(lines)))
		lines = append(lines, q)
		return err
	})
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("bench: replay: %w", err)
	case len(lines) == 0:
		return nil, nil, errors.New("bench: replay: no request in the file")
	}
	slices.SortStableFunc(lines, func(a, b replayed) int { return cmp.Compare(a.at, b.at) })
	for _, l := range lines {
		requests, starts = append(requests, l.request), append(starts, l.at-lines[0].at)
	}
	return requests, starts, nil
}

type replayed struct {
	request Request
	at      time.Duration
}

// replayLine is a line of either form.
type replayLine struct {
	record
	At        *float64 `json:"at"`
	Timestamp *float64 `json:"timestamp"`
	Input     int      `json:"input_length"`
	Output    int      `json:"output_length"`
	Blocks    []uint64 `json:"hash_ids"`
}

// read makes a request of line i.
func (l *replayLine) read(i uint64) (r replayed, err error) {
	switch {
	case l.At != nil:
		r.at = seconds(*l.At)
	case l.Timestamp != nil:
		r.at = seconds(*l.Timestamp / 1000)
	default:
		return r, errors.New(`neither "at" nor "timestamp"`)
	}
	q, ok := Dataset{}.request(l.record, nil)
	if l.Input > longestPrompt {
		return r, fmt.Errorf("input_length %d: more than %d", l.Input, longestPrompt)
	}
	if !ok && l.Input > 0 {
		q, ok = Request{Messages: []Message{{"user", l.words(i)}}, MaxTokens: l.Output}, true
	}
	if !ok {
		return r, errors.New("no prompt, no messages, no input_length")
	}
	r.request = q
	return r, nil
}

// longestPrompt bounds what a line can make this program allocate.
const longestPrompt = 1 << 24

// blockTokens is the size of the blocks that hash ids name.
const blockTokens = 512

// words makes a prompt of Input tokens: block by block, then words that no
// other line has.
func (l *replayLine) words(i uint64) string {
	var parts []string
	left := l.Input
	for _, id := range l.Blocks {
		if n := min(left, blockTokens); n > 0 {
			parts = append(parts, Prompts{}.words(rand.New(rand.NewPCG(id, 'b')), n))
			left -= n
		}
	}
	if left > 0 {
		parts = append(parts, Prompts{}.words(rand.New(rand.NewPCG(i, 'l')), left))
	}
	return strings.Join(parts, " ")
}
