package transformer

import "example.com/minillm/kvcache"

// pass is one walk through the network: its rows, each a token of any of the
// chunks, and the buffers that all workers share.
type pass struct {
	rows   int
	tokens []int32 // [rows]
	pieces []piece

	all    []int32     // 0, 1, 2, …
	kept   []int32     // the rows of which something is wanted
	states [][]float32 // what takes their hidden rows; nil for none
	scored []int32     // the rows of which logits are wanted
	logits [][]float32 // what takes them

	x   []float32 // [rows][dim], the residual stream
	qkv []float32 // [rows][heads+2*kvHeads][headDim]
	att []float32 // [rows][heads][headDim]
	y   []float32 // [rows][dim], what a sublayer adds to x

	hidden []float32 // [rows][ffn], between the halves of the feed-forward

	stages [3]stage  // all rows, kept ones, scored ones
	plans  [2]plan   // of attention: over all positions, and over the window
	parts  []float32 // of its stretches that are computed by themselves
}

// piece is the part of a chunk that is in the pass.
type piece struct {
	kv      kvcache.KV
	pos     int // of its first row
	row0, n int
}

// cursor is how far a batch has been computed.
type cursor struct{ chunk, token int }

// take fills the pass with the next rows of a batch and reports whether there
// were any.
func (p *pass) take(batch []Chunk, at *cursor, c *config) bool {
	p.forget()
	for at.chunk < len(batch) && p.rows < maxRows {
		chunk := &batch[at.chunk]
		n := min(len(chunk.Tokens)-at.token, maxRows-p.rows)
		p.add(chunk, at.token, n, c)
		if at.token += n; at.token == len(chunk.Tokens) {
			*at = cursor{chunk: at.chunk + 1}
		}
	}
	return p.rows > 0
}

// forget empties the pass, and lets go of what belongs to callers.
func (p *pass) forget() {
	clear(p.pieces)
	clear(p.states)
	clear(p.logits)
	p.rows, p.pieces = 0, p.pieces[:0]
	p.kept, p.states = p.kept[:0], p.states[:0]
	p.scored, p.logits = p.scored[:0], p.logits[:0]
}

// add appends n tokens of a chunk, from the one at first on.
func (p *pass) add(chunk *Chunk, first, n int, c *config) {
	copy(p.tokens[p.rows:], chunk.Tokens[first:first+n])
	p.pieces = append(p.pieces, piece{kv: chunk.KV, pos: chunk.Pos + first, row0: p.rows, n: n})
	for i := first; i < first+n; i++ {
		left := len(chunk.Tokens) - i
		p.want(int32(p.rows), tail(chunk.Logits, c.vocab, left), tail(chunk.Hidden, c.dim, left))
		p.rows++
	}
}

func (p *pass) want(row int32, logits, hidden []float32) {
	if logits != nil || hidden != nil {
		p.kept, p.states = append(p.kept, row), append(p.states, hidden)
	}
	if logits != nil {
		p.scored, p.logits = append(p.scored, row), append(p.logits, logits)
	}
}

// tail is the left-th last row of rows, nil if there are not so many.
func tail(rows []float32, size, left int) []float32 {
	lo := len(rows) - left*size
	if lo < 0 {
		return nil
	}
	return rows[lo : lo+size]
}

// schedule plans a pass whose rows are known.
func (p *pass) schedule(c *config, workers int) {
	for i, rows := range []int{p.rows, len(p.kept), len(p.scored)} {
		p.stages[i].reset(rows, c)
	}
	p.plans[global].make(p.pieces, c, workers, mostParts)
	if c.window > 0 {
		p.plans[local].make(p.pieces, c, workers, mostParts)
	}
}

// The stages of a pass.
const (
	allRows = iota
	keptRows
	scoredRows
)

// The reaches of layers: each has a plan of attention, and a RoPE.
const (
	global = iota
	local
)
