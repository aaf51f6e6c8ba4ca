package bench

import (
	"encoding/json"
)

// chunk is what is wanted of one event.
type chunk struct {
	text     string
	finished bool // a reason for the end was given
	usage    *Usage
}

// parse reads the JSON of an event. It walks the bytes once and looks at what
// is wanted only: events come by the thousand a second, and decoding each by
// reflection would cost more than receiving it.
func (c *chunk) parse(data []byte) error {
	*c = chunk{}
	var refusal, usage []byte
	j := cursor{b: data}
	j.object(func(key []byte) {
		switch string(key) {
		case "choices":
			j.array(func() { c.choice(&j) })
		case "usage":
			usage = j.value()
		case "error":
			refusal = j.value()
		default:
			j.value()
		}
	})
	if j.space(); j.bad || j.i < len(data) {
		return failf(Malformed, "no JSON object: %.100q", data)
	}
	if present(refusal) {
		return failf(Refused, "%.300s", refusal)
	}
	return c.count(usage)
}

// choice reads one element of choices: of chats the text is in delta, that of
// thinking under either of two names; of completions it is in text.
func (c *chunk) choice(j *cursor) {
	j.object(func(key []byte) {
		switch string(key) {
		case "delta":
			if j.peek() != '{' {
				j.value()
				return
			}
			j.object(func(key []byte) {
				switch string(key) {
				case "content", "reasoning", "reasoning_content":
					c.text += j.text()
				default:
					j.value()
				}
			})
		case "text":
			c.text += j.text()
		case "finish_reason":
			c.finished = present(j.value()) || c.finished
		default:
			j.value()
		}
	})
}

// wireUsage is how servers send counts.
type wireUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	Details          struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

func (c *chunk) count(usage []byte) error {
	if !present(usage) {
		return nil
	}
	var u wireUsage
	if err := json.Unmarshal(usage, &u); err != nil {
		return failf(Malformed, "usage: %w", err)
	}
	c.usage = &Usage{PromptTokens: u.PromptTokens, CachedTokens: u.Details.CachedTokens, OutputTokens: u.CompletionTokens}
	return nil
}

// present reports whether a JSON value is there and says something.
func present(value []byte) bool {
	s := string(value)
	return s != "" && s != "null" && s != `""`
}
