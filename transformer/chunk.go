package transformer

import "example.com/minillm/kvcache"

// Chunk is a stretch of one sequence's tokens: many in prefill, one in decode.
// Chunks of different sequences form a ragged batch. Linear layers see all
// tokens of all chunks as the rows of one matrix; only attention sees chunks.
//
// The lengths of Logits and Hidden say how many rows are wanted, so that the
// vocabulary projection, a large part of a small model, is paid only where it
// is used: none inside a prompt, one for the next token, all for scoring.
type Chunk struct {
	Tokens []int32
	Pos    int        // position of Tokens[0] in its sequence
	KV     kvcache.KV // has the positions before Pos, takes those of Tokens
	Logits []float32  // takes a row [VocabSize] for each of the last len/VocabSize tokens; nil for none
	Hidden []float32  // takes the normed last hidden row [Dim] for each of the last len/Dim tokens; nil for none
}
