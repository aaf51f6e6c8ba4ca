package openai

import (
	"fmt"
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
	twice := b.Has("repeat_penalty") && b.Has("repetition_penalty")
	var again float64
	b.Float("repeat_penalty", &s.Sampling.RepetitionPenalty, 0.01, 100)
	b.Float("repetition_penalty", &again, 0.01, 100)
	if twice && again != s.Sampling.RepetitionPenalty {
		b.Fail(http.StatusBadRequest, "repetition_penalty", "is %v, and repeat_penalty, which is the same, %v", again, s.Sampling.RepetitionPenalty)
	}
	if again != 0 {
		s.Sampling.RepetitionPenalty = again
	}
}

// readBias reads an object of biases by token id.
func readBias(b *wire.Body, p *sampling.Params) {
	var bias map[string]*float64
	b.Value("logit_bias", "an object of numbers by token id", &bias)
	for key, x := range bias {
		id, err := strconv.ParseInt(key, 10, 32)
		switch {
		case err != nil || id < 0:
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
	given := b.Has("stream_options")
	if o := b.Object("stream_options"); o != nil {
		o.Bool("include_usage", &s.usage)
		o.Accept("include_obfuscation") // there is none
		o.Refuse("continuous_usage_stats", "false")
	}
	if given && !s.stream {
		b.Fail(http.StatusBadRequest, "stream_options", "only with stream")
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

// prompts returns a request for each prompt. An answer never gets less room
// than was asked for.
func (s *settings) prompts(h *Handler, prompts ...[]int32) ([]serve.TextRequest, error) {
	var all []serve.TextRequest
	for _, ids := range prompts {
		if err := h.fits(len(ids), s.MaxTokens); err != nil {
			return nil, err
		}
		r := s.TextRequest
		r.Prompt, r.N = ids, s.best
		if r.MaxTokens == 0 {
			r.MaxTokens = s.fallback
		}
		all = append(all, r)
	}
	return all, nil
}

func tooLong(prompt, most, context int) error {
	what := fmt.Sprintf("the prompt has %d tokens", prompt)
	if prompt <= context {
		what += fmt.Sprintf(" and %d more are asked for", most)
	}
	return &wire.Error{Status: http.StatusBadRequest, Type: "invalid_request_error", Code: "context_length_exceeded",
		Message: fmt.Sprintf("%s, where the context has room for %d", what, context)}
}
