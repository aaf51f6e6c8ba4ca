package batch

import (
	"slices"

	"example.com/minillm/transformer"
)

// scores are what was read of a sequence beside its tokens.
type scores struct {
	read   int       // prompt positions whose rows were read
	hidden []float32 // sum of the rows read
}

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

func (s *Sequence) note(logits []float32, t int32) {}

// score reads the rows of prompt positions that were asked for.
func (r *Runner) score(p *part, c *transformer.Chunk) {
	s := p.seq
	if s.spec.Embed {
		s.embed(c.Hidden, r.dim)
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
