package sim

import (
	"fmt"
	"time"

	"example.com/minillm/transformer"
)

// Cost is how long a step takes, as measured: so much for the step itself (the
// weights are read once), so much for every token, and so much for every
// position whose keys and values are read. A stretch of up to Tile tokens of one
// sequence reads them once.
type Cost struct {
	Step  time.Duration
	Token time.Duration
	Read  time.Duration
}

// Tile is how many neighbouring tokens share what they read of the cache.
const Tile = 8

// Of returns the time of one step.
func (c Cost) Of(batch []transformer.Chunk) time.Duration {
	tokens, reads := 0, 0
	for _, chunk := range batch {
		n := len(chunk.Tokens)
		tokens += n
		reads += (n + Tile - 1) / Tile * (chunk.Pos + n)
	}
	return c.Step + time.Duration(tokens)*c.Token + time.Duration(reads)*c.Read
}

// String returns the three figures.
func (c Cost) String() string {
	return fmt.Sprintf("%v a step, %v a token, %v a position read", c.Step, c.Token, c.Read)
}

// vocabulary of the simulated model: enough for prompts to differ.
const vocabulary = 256

// clock is a batch.Model that only lets time pass.
type clock struct {
	cost   Cost
	now    time.Duration
	tokens int // computed
}

func (m *clock) VocabSize() int { return vocabulary }

func (m *clock) Forward(batch []transformer.Chunk) error {
	m.now += m.cost.Of(batch)
	for i := range batch {
		m.tokens += len(batch[i].Tokens)
	}
	return nil
}
