package transformer

import (
	"errors"
	"sync"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/par"
	"example.com/minillm/kvcache"
)

// ErrClosed is what Forward answers after Close.
var ErrClosed = errors.New("transformer: model is closed")

// Model is a network with its weights and the workers that compute it. Its
// methods may be called from any goroutine; Forward and Close wait for each
// other.
type Model struct {
	config  config
	options Options
	file    *gguf.File // closed with the model if it was opened for it

	embedding  gguf.Tensor
	embedScale float32
	layers     []layer
	outputNorm []float32 // [dim]
	output     linear    // [vocab][dim]
	ropes      []*rope   // global, and local where layers have a window
	freqs      []float32 // nil, or the divisors of RoPE's frequencies
	weights    arena

	mu    sync.Mutex // held during Forward; guards what follows
	team  *par.Team  // nil after Close
	pass  pass
	lanes []lane
	run   func(*par.Worker) // walk; kept so that a pass does not allocate
	each  each
}

// VocabSize returns the length of a row of logits. Ids are below it.
func (m *Model) VocabSize() int { return m.config.vocab }

// Dim returns the length of a hidden row.
func (m *Model) Dim() int { return m.config.dim }

// Shape returns what a cache has to keep for each position.
func (m *Model) Shape() kvcache.Shape { return m.config.shape() }

// Context returns the positions that the model was trained for.
func (m *Model) Context() int { return m.config.context }

// Limit returns the most positions that Forward takes: those of Context, or
// with Options.Extend more than any machine computes.
func (m *Model) Limit() int {
	if m.options.Extend {
		return mostContext
	}
	return m.config.context
}

// Forward computes a ragged batch: it stores the keys and values of every
// token in the KV of its chunk, which must have room for them and have those of
// all positions before, and writes the rows that the chunks ask for. Chunks of
// one sequence come in the order of their positions, and none twice in a batch.
//
// An error says what is wrong with the batch; nothing has been computed then.
func (m *Model) Forward(batch []Chunk) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.team == nil {
		return ErrClosed
	}
	if err := m.check(batch); err != nil {
		return err
	}
	var at cursor
	for m.pass.take(batch, &at, &m.config) {
		m.pass.schedule(&m.config, m.team.Size())
		m.team.Run(m.run)
	}
	m.pass.forget()
	return nil
}

// walk is the whole pass, as every worker goes through it.
func (m *Model) walk(w *par.Worker) {
	l := &m.lanes[w.ID]
	l.begin(w)
	l.angles()
	l.embed()
	for i := range m.layers {
		y := &m.layers[i]
		last := i == len(m.layers)-1

		l.norm(y.attnNorm)
		l.project(l.qkv, &l.normed, &y.q, &y.k, &y.v)
		l.store(y, i)
		if last && len(l.kept) == 0 {
			return
		}
		l.attend(y.reach, i)
		if last {
			l.enter(keptRows, l.kept)
		}
		l.gather()
		l.project(l.y, &l.mixed, &y.out)
		l.add(y.outBias, y.postAttn)

		l.norm(y.ffnNorm)
		l.feed(y)
		l.project(l.y, &l.gated, &y.down)
		l.add(nil, y.postFFN)
	}
	l.head()
}

// Close stops the workers and gives the memory back. It may be called more
// than once.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.team == nil {
		return nil
	}
	m.team.Close()
	m.weights.free()
	m.team, m.lanes, m.layers, m.weights, m.output = nil, nil, nil, arena{}, linear{}
	if m.file == nil {
		return nil
	}
	return m.file.Close()
}
