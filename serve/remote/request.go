package remote

import (
	"fmt"
	"math"
	"strconv"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"example.com/minillm/sampling"
	"example.com/minillm/serve"
)

// dialect is how one kind of server words what OpenAI's API does not have.
type dialect struct {
	penalty string         // name of the repetition penalty
	with    map[string]any // what must go with it for the meaning it has here
	rest    any            // max_tokens of a completion that goes on to the end of the context; nil leaves it out
}

// dialects are known by whom /v1/models says the model is owned by.
var dialects = map[string]dialect{
	"":         {penalty: "repetition_penalty"},
	"minillm":  {penalty: "repetition_penalty", rest: math.MaxInt32},
	"vllm":     {penalty: "repetition_penalty", rest: param.Null[int64]()},
	"llamacpp": {penalty: "repeat_penalty", with: map[string]any{"repeat_last_n": 1 << 17}}, // more than a context; its own counts the last 64 tokens
}

// completion is the body of a request to continue a text.
func (m *Model) completion(prompt string, r *serve.Request) (openai.CompletionNewParams, error) {
	p, s := openai.CompletionNewParams{Model: openai.CompletionNewParamsModel(m.name)}, &r.Sampling
	p.Prompt.OfString = openai.String(prompt)
	p.Temperature, p.TopP = openai.Float(s.Temperature), openai.Float(topP(s))
	p.PresencePenalty, p.FrequencyPenalty = optional(s.PresencePenalty), optional(s.FrequencyPenalty)
	p.Seed = seed(s)
	p.Stop.OfStringArray = r.Stop
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	if r.Logprobs {
		p.Logprobs = openai.Int(int64(r.TopLogprobs))
	}
	fields, err := m.fields(r)
	if err != nil {
		return p, err
	}
	switch {
	case r.MaxTokens > 0:
		p.MaxTokens = openai.Int(int64(r.MaxTokens))
	case m.dialect.rest != nil:
		fields["max_tokens"] = m.dialect.rest
	}
	p.SetExtraFields(fields)
	return p, nil
}

// chat is the body of a request to answer a conversation.
func (m *Model) chat(messages []serve.Message, r *serve.Request) (openai.ChatCompletionNewParams, error) {
	p, s := openai.ChatCompletionNewParams{Model: m.name}, &r.Sampling
	for _, msg := range messages {
		turn := map[string]string{"role": msg.Role, "content": msg.Content}
		p.Messages = append(p.Messages, param.Override[openai.ChatCompletionMessageParamUnion](turn))
	}
	p.Temperature, p.TopP = openai.Float(s.Temperature), openai.Float(topP(s))
	p.PresencePenalty, p.FrequencyPenalty = optional(s.PresencePenalty), optional(s.FrequencyPenalty)
	p.Seed = seed(s)
	p.Stop.OfStringArray = r.Stop
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	if r.MaxTokens > 0 {
		p.MaxTokens = openai.Int(int64(r.MaxTokens)) // the old name, which every server knows
	}
	if r.Logprobs {
		p.Logprobs = openai.Bool(true)
		p.TopLogprobs = openai.Int(int64(r.TopLogprobs))
	}
	fields, err := m.fields(r)
	if err != nil {
		return p, err
	}
	if !m.o.Plain {
		fields["chat_template_kwargs"] = map[string]any{"enable_thinking": r.Thinking}
	} else if r.Thinking {
		return p, fmt.Errorf("%w: Thinking is none of OpenAI's fields", serve.ErrInvalid)
	}
	p.SetExtraFields(fields)
	return p, nil
}

// fields are what the official client has no words for: extras of servers, and
// biases, of which it knows whole numbers only. Filters that are off are said
// to be off, because servers have other defaults.
func (m *Model) fields(r *serve.Request) (map[string]any, error) {
	s := &r.Sampling
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", serve.ErrInvalid, err)
	}
	if r.MaxTokens < 0 {
		return nil, fmt.Errorf("%w: MaxTokens is %d", serve.ErrInvalid, r.MaxTokens)
	}
	fields := map[string]any{}
	if m.o.Plain {
		if name := beyond(r); name != "" {
			return nil, fmt.Errorf("%w: %s is none of OpenAI's fields", serve.ErrInvalid, name)
		}
	} else {
		m.addExtras(fields, r)
	}
	if len(s.Bias) > 0 {
		fields["logit_bias"] = bias(s.Bias)
	}
	for name, value := range m.o.Extra {
		fields[name] = value
	}
	return fields, nil
}

func (m *Model) addExtras(fields map[string]any, r *serve.Request) {
	s := &r.Sampling
	fields["top_k"], fields["min_p"] = -1, s.MinP
	if s.TopK > 0 {
		fields["top_k"] = s.TopK
	}
	if s.RepetitionPenalty == 0 {
		fields[m.dialect.penalty] = 1
	} else {
		fields[m.dialect.penalty] = s.RepetitionPenalty
	}
	if penalised(s) {
		for name, value := range m.dialect.with {
			fields[name] = value
		}
	}
	if r.Priority != 0 {
		fields["priority"] = r.Priority
	}
	if r.Salt != "" {
		fields["cache_salt"] = r.Salt
	}
}

// beyond names the first thing r asks for that OpenAI's API has no field for.
func beyond(r *serve.Request) string {
	s := &r.Sampling
	switch {
	case s.TopK != 0:
		return "TopK"
	case s.MinP != 0:
		return "MinP"
	case s.RepetitionPenalty != 0 && s.RepetitionPenalty != 1:
		return "RepetitionPenalty"
	case r.Priority != 0:
		return "Priority"
	case r.Salt != "":
		return "Salt"
	}
	return ""
}

func penalised(s *sampling.Params) bool {
	return s.RepetitionPenalty != 0 && s.RepetitionPenalty != 1 || s.PresencePenalty != 0 || s.FrequencyPenalty != 0
}

// topP is 1 where the filter is off: a server takes 0 for the best token alone.
func topP(s *sampling.Params) float64 {
	if s.TopP == 0 {
		return 1
	}
	return s.TopP
}

func optional(x float64) param.Opt[float64] {
	if x == 0 {
		return param.Opt[float64]{}
	}
	return openai.Float(x)
}

// seed has all 64 bits, of which JSON's readers understand the signed ones; a
// greedy request draws nothing.
func seed(s *sampling.Params) param.Opt[int64] {
	if s.Temperature == 0 {
		return param.Opt[int64]{}
	}
	return openai.Int(int64(s.Seed))
}

// bias names tokens by their ids in the server's vocabulary. The API's -100 is
// what forbids a token.
func bias(b map[int32]float32) map[string]float32 {
	named := make(map[string]float32, len(b))
	for id, x := range b {
		named[strconv.Itoa(int(id))] = max(x, -100)
	}
	return named
}
