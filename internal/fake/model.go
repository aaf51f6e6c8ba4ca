// Package fake has a scripted model and a byte tokenizer, for tests of the
// floors above the transformer: no file, no floats that matter, any speed.
package fake

import (
	"fmt"
	"math"
	"time"

	"example.com/minillm/kvcache"
	"example.com/minillm/transformer"
)

// Shape is what a position takes in a cache for the model: as little as holds
// its token and its place.
var Shape = kvcache.Shape{Layers: 1, Heads: 1, HeadDim: 8}

// Model is a batch.Model whose logits are a function of what it finds in the
// cache: it writes each token there and reads all earlier ones back, so that a
// wrong, missing or misplaced row changes what it says. The zero value talks
// gibberish, deterministically. Like a transformer, it serves one Forward at a
// time.
type Model struct {
	// Vocab is the size of the vocabulary; 0 is that of Bytes.
	Vocab int

	// Script names the token that follows tokens. Nil: gibberish.
	Script func(tokens []int32) int32

	// Step is called before anything is computed; an error it returns is that
	// of Forward, a panic passes through.
	Step func(batch []transformer.Chunk) error

	// Row is called with each row of logits and the tokens before it; it may
	// spoil the row.
	Row func(tokens []int32, logits []float32)

	// Cost is how long a step sleeps.
	Cost func(batch []transformer.Chunk) time.Duration

	Steps  int // forward passes so far
	Tokens int // tokens computed so far

	history []int32
}

// VocabSize returns the length of a row of logits.
func (m *Model) VocabSize() int {
	if m.Vocab == 0 {
		return Bytes{}.Size()
	}
	return m.Vocab
}

// Dim returns the length of a hidden row.
func (m *Model) Dim() int { return 4 }

// Forward computes the rows that batch asks for.
func (m *Model) Forward(batch []transformer.Chunk) error {
	if m.Step != nil {
		if err := m.Step(batch); err != nil {
			return err
		}
	}
	if m.Cost != nil {
		time.Sleep(m.Cost(batch))
	}
	m.Steps++
	for i := range batch {
		m.chunk(&batch[i])
	}
	return nil
}

func (m *Model) chunk(c *transformer.Chunk) {
	m.Tokens += len(c.Tokens)
	for i, t := range c.Tokens {
		k, v := row(c.Pos+i, t)
		c.KV.Put(0, c.Pos+i, k[:], v[:])
	}
	m.history = read(m.history[:0], c.KV, c.Pos+len(c.Tokens))
	n, vocab, dim := len(m.history), m.VocabSize(), m.Dim()
	first := n - len(c.Logits)/vocab
	for row := first; row < n; row++ {
		m.logits(c.Logits[(row-first)*vocab:][:vocab], m.history[:row+1])
	}
	first = n - len(c.Hidden)/dim
	for row := first; row < n; row++ {
		h := hash(m.history[:row+1])
		for d := range dim {
			c.Hidden[(row-first)*dim+d] = unit(h + uint64(d))
		}
	}
}

// logits fills the row that follows tokens.
func (m *Model) logits(row []float32, tokens []int32) {
	h := hash(tokens)
	for i := range row {
		row[i] = 4 * unit(h+uint64(i))
	}
	if m.Script != nil {
		row[m.Script(tokens)] = 20
	}
	if m.Row != nil {
		m.Row(tokens, row)
	}
}

// digits of a number to base 100, which every format of rows keeps when rounded.
const base, digits = 100, 4

// row returns the key and value rows of token t at position pos.
func row(pos int, t int32) (k, v [2 * digits]float32) {
	for i := range digits {
		k[i], k[i+digits] = float32(t%base), float32(pos%base)
		t, pos = t/base, pos/base
	}
	for i, x := range k {
		v[len(k)-1-i] = x
	}
	return k, v
}

// read appends the tokens at positions [0,n) of kv to dst. A row that is not
// what row wrote there comes back as some other token.
func read(dst []int32, kv kvcache.KV, n int) []int32 {
	for pos := 0; pos < n; {
		span := kv.Span(0, 0, pos)
		for p := 0; p < span.N && pos < n; p++ {
			dst = append(dst, token(&span, p, pos))
			pos++
		}
	}
	return dst
}

func token(s *kvcache.Span, p, pos int) int32 {
	var k, v [2 * digits]float32
	s.Key(k[:], p)
	s.Value(v[:], p)
	var t, at, again, scale int32 = 0, 0, 0, 1
	for i := range digits {
		t += scale * whole(k[i])
		at += scale * whole(k[i+digits])
		again += scale * whole(v[2*digits-1-i])
		scale *= base
	}
	if at != int32(pos) || again != t {
		return -1 - at - t
	}
	return t
}

func whole(x float32) int32 { return int32(math.Round(float64(x))) }

func hash(tokens []int32) uint64 {
	h := uint64(14695981039346656037)
	for _, t := range tokens {
		h = mix(h ^ uint64(uint32(t)))
	}
	return h
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit returns a number in [0,1) for x.
func unit(x uint64) float32 { return float32(mix(x)>>40) / (1 << 24) }

// NaN returns a Model.Row that spoils the rows of sequences that begin with t.
func NaN(t int32) func(tokens []int32, logits []float32) {
	return func(tokens []int32, logits []float32) {
		if tokens[0] == t {
			logits[len(logits)/2] = float32(math.NaN())
		}
	}
}

// Fault returns a Model.Step that fails at its nth call, counted from 1: with
// err, or by a panic where err is nil.
func Fault(nth int, err error) func([]transformer.Chunk) error {
	calls := 0
	return func([]transformer.Chunk) error {
		if calls++; calls != nth {
			return nil
		}
		if err == nil {
			panic(fmt.Sprintf("fake: step %d", nth))
		}
		return err
	}
}
