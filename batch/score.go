package batch

import (
	"fmt"
	"slices"

	"example.com/minillm/sampling"
	"example.com/minillm/transformer"
)

// scores are what was read of a sequence beside its tokens.
type scores struct {
	read     int // prompt positions whose rows were read
	logprobs [][]sampling.Logprob
	prompt   [][]sampling.Logprob
	hidden   []float32 // sum of the rows read
}

// Logprobs returns, for each token of the output, its log-probability and those
// of the alternatives; nil where Spec.Logprobs did not ask.
func (s *Sequence) Logprobs() [][]sampling.Logprob { return s.logprobs }

// PromptLogprobs returns the same for each token of the prompt that has been
// computed; that of the first is nil, because nothing predicts it.
func (s *Sequence) PromptLogprobs() [][]sampling.Logprob { return s.prompt }

// Embedding returns the mean of the prompt's normed last hidden rows, or nil
// where Spec.Embed did not ask or the prompt is not yet computed.
func (s *Sequence) Embedding() []float32 {
	if s.hidden == nil || s.reads() {
		return nil
	}
	mean := slices.Clone(s.hidden)
	for i := range mean {
		mean[i] /= float32(s.Prompt())
	}
	return mean
}

// reads reports whether rows of prompt positions are still to be read.
func (s *Sequence) reads() bool {
	return (s.spec.PromptLogprobs || s.spec.Embed) && s.read < s.Prompt()
}

// note keeps the log-probability of t, the token that was chosen.
func (s *Sequence) note(logits []float32, t int32) {
	if s.spec.Logprobs {
		s.logprobs = append(s.logprobs, sampling.Logprobs(nil, logits, t, s.spec.TopLogprobs))
	}
}

// score reads the rows of prompt positions that were asked for.
func (r *Runner) score(p *part, c *transformer.Chunk) {
	s := p.seq
	if s.spec.Embed {
		s.embed(c.Hidden, r.dim)
	}
	if s.spec.PromptLogprobs {
		s.predict(c.Logits, r.vocab)
	}
	s.read = max(s.read, s.computed)
}

// embed adds rows of width dim to the sum, in the order of their positions.
func (s *Sequence) embed(rows []float32, dim int) {
	if s.hidden == nil {
		s.hidden = make([]float32, dim)
	}
	for row := range slices.Chunk(rows, dim) {
		for i, x := range row {
			s.hidden[i] += x
		}
	}
}

// predict scores the prompt tokens that rows predict; that of the prompt's last
// position predicts the output. A broken row ends the sequence.
func (s *Sequence) predict(rows []float32, vocab int) {
	if s.prompt == nil {
		s.prompt = append(make([][]sampling.Logprob, 0, s.Prompt()), nil)
	}
	for row := range slices.Chunk(rows, vocab) {
		next := len(s.prompt)
		if next == s.Prompt() {
			return
		}
		if _, err := sampling.Argmax(row); err != nil {
			s.Fail(fmt.Errorf("batch: score token %d of the prompt: %w", next, err))
			return
		}
		s.prompt = append(s.prompt, sampling.Logprobs(nil, row, s.tokens[next], s.spec.TopLogprobs))
	}
}
