package transformer

import "fmt"

// check finds what is wrong with a batch, before anything is computed.
func (m *Model) check(batch []Chunk) error {
	for i := range batch {
		if err := m.checkChunk(&batch[i]); err != nil {
			return fmt.Errorf("transformer: chunk %d: %w", i, err)
		}
	}
	return nil
}

func (m *Model) checkChunk(c *Chunk) error {
	switch n := len(c.Tokens); {
	case n == 0:
		return fmt.Errorf("no tokens")
	case c.KV == nil:
		return fmt.Errorf("no KV")
	case c.Pos < 0 || c.Pos > m.Limit()-n:
		return fmt.Errorf("positions %d to %d are not within the context of %d", c.Pos, c.Pos+n-1, m.Limit())
	}
	for i, id := range c.Tokens {
		if id < 0 || int(id) >= m.config.vocab {
			return fmt.Errorf("token %d: id %d is not within the vocabulary of %d", i, id, m.config.vocab)
		}
	}
	if err := checkTail("Logits", len(c.Logits), m.config.vocab, len(c.Tokens)); err != nil {
		return err
	}
	return checkTail("Hidden", len(c.Hidden), m.config.dim, len(c.Tokens))
}

func checkTail(name string, length, size, tokens int) error {
	if length%size != 0 || length/size > tokens {
		return fmt.Errorf("%d numbers of %s are not rows of %d for at most %d tokens", length, name, size, tokens)
	}
	return nil
}
