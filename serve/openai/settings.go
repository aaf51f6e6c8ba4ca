package openai

import (
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"

	"example.com/minillm/sampling"
	"example.com/minillm/serve"
	"example.com/minillm/serve/internal/wire"
)

// settings are what chats and completions have in common.
type settings struct {
	serve.TextRequest // without a prompt
	model             string
	stream            bool
	usage             bool // a last chunk that has it
	best              int  // choices to generate for each prompt; N of them are answered
	fallback          int  // most new tokens where the request names none; 0: the rest of the context
}

// settings reads the fields in common.
func (h *Handler) settings(b *wire.Body) settings {
	s := settings{model: h.readModel(b)}
	s.N = 1
	s.readSampling(b)
	s.readStream(b)
	b.Int("n", &s.N, 1, maxChoices)
	s.best = s.N
	b.Stops("stop", &s.Stop)
	b.Bool("include_stop_str_in_output", &s.IncludeStop)
	b.Bool("ignore_eos", &s.IgnoreEnd)
	b.Int("priority", &s.Priority, -100, 100)
	b.String("cache_salt", &s.Salt)
	readFormat(b)
	accept(b)
	refuse(b, unsupported)
	return s
}

// readSampling reads how a token is chosen. As OpenAI has it the temperature is
// 1 where it is not given, and the seed is random.
func (s *settings) readSampling(b *wire.Body) {
	p := &s.Sampling
	*p = sampling.Params{Temperature: 1, Seed: rand.Uint64()}
	b.Float("temperature", &p.Temperature, 0, 2)
	b.TopP("top_p", p)
	b.Float("min_p", &p.MinP, 0, 1)
	b.Int("top_k", &p.TopK, -1, math.MaxInt32)
	p.TopK = max(p.TopK, 0) // -1 is off, as in vLLM
	b.Float("presence_penalty", &p.PresencePenalty, -2, 2)
	b.Float("frequency_penalty", &p.FrequencyPenalty, -2, 2)
	s.readRepetition(b)
	b.Seed("seed", &p.Seed)
	readBias(b, p)
}

// readRepetition reads a penalty that goes by two names.
func (s *settings) readRepetition(b *wire.Body) {
	b.Either("repeat_penalty", "repetition_penalty")
	b.Float("repeat_penalty", &s.Sampling.RepetitionPenalty, 0.01, 100)
	b.Float("repetition_penalty", &s.Sampling.RepetitionPenalty, 0.01, 100)
}

// readBias reads an object of biases by token id.
func readBias(b *wire.Body, p *sampling.Params) {
	var bias map[string]*float64
	b.Value("logit_bias", "an object of numbers by token id", &bias)
	for key, x := range bias {
		id, err := strconv.ParseInt(key, 10, 32)
		switch {
		case err != nil || id < 0 || strconv.Itoa(int(id)) != key:
			b.Fail(http.StatusBadRequest, "logit_bias", "%s is not a token id", wire.Quote(key))
		case x == nil || !(*x >= -100 && *x <= 100):
			b.Fail(http.StatusBadRequest, "logit_bias", "of token %d is not a number between -100 and 100", id)
		default:
			if p.Bias == nil {
				p.Bias = map[int32]float32{}
			}
			p.Bias[int32(id)] = float32(*x)
		}
	}
}

// readStream reads whether and how the answer is streamed.
func (s *settings) readStream(b *wire.Body) {
	b.Bool("stream", &s.stream)
	if o := b.Object("stream_options"); o != nil {
		o.Bool("include_usage", &s.usage)
		o.Accept("include_obfuscation") // there is none
		o.Refuse("continuous_usage_stats", "false")
	}
}

// readFormat reads the format of the answer, of which there is one.
func readFormat(b *wire.Body) {
	if b.Kind("response_format") != '{' {
		b.Refuse("response_format")
		return
	}
	format := "text"
	o := b.Object("response_format")
	o.String("type", &format)
	if format != "text" {
		b.Fail(http.StatusBadRequest, "response_format", "%s is not supported, only text is", wire.Quote(format))
	}
}

// prompts returns a request for each prompt.
func (s *settings) prompts(prompts ...[]int32) []serve.TextRequest {
	all := make([]serve.TextRequest, len(prompts))
	for i, ids := range prompts {
		all[i] = s.TextRequest
		all[i].Prompt, all[i].N = ids, s.best
		if s.MaxTokens == 0 {
			all[i].MaxTokens = s.fallback
		}
	}
	return all
}
