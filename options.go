package minillm

import (
	"fmt"

	"example.com/minillm/internal/memory"
	"example.com/minillm/kvcache"
	"example.com/minillm/paged"
	"example.com/minillm/serve"
	"example.com/minillm/transformer"
)

// Options of an open model; zero values are the defaults.
type Options struct {
	Threads int   // that compute: GOMAXPROCS
	Context int   // most positions of one request: the trained context
	Extend  bool  // allow a Context beyond the trained one, where answers get worse
	KV      int64 // bytes of the pool that all requests share: enough for Parallel requests of Context, at most a quarter of the free memory
	// KVPositions says the same as KV, in positions.
	KVPositions int
	Parallel    int            // most requests in a step: 8
	KVFormat    kvcache.Format // of the rows in the pool: 16 bits per number
	// Reference computes in float32 throughout, with float32 rows: slow, and what the fast path is measured against.
	Reference bool
	Progress  func(done, total int64) // is told of the bytes of weights made ready while the file is opened
	Observer  serve.Observer          // is told of every step and every request
}

// leastPool is the positions below which a pool is refused rather than made, unless it holds a whole context.
const leastPool = 64

func (o Options) parallel() int {
	if o.Parallel == 0 {
		return 8
	}
	return o.Parallel
}

func (o Options) format() kvcache.Format {
	if o.Reference {
		return kvcache.F32
	}
	return o.KVFormat
}

func (o Options) validate() error {
	switch {
	case o.Threads < 0:
		return fmt.Errorf("threads %d: must not be negative", o.Threads)
	case o.Context < 0:
		return fmt.Errorf("context %d: must not be negative", o.Context)
	case o.KV < 0, o.KVPositions < 0, o.KV > 0 && o.KVPositions > 0:
		return fmt.Errorf("KV %d bytes, %d positions: want one of them, not negative", o.KV, o.KVPositions)
	case o.Parallel < 0:
		return fmt.Errorf("parallel %d: must not be negative", o.Parallel)
	}
	return nil
}

func (o Options) transformer() transformer.Options {
	return transformer.Options{Threads: o.Threads, Reference: o.Reference, Extend: o.Extend, Progress: o.Progress}
}

// pool says how large the memory of keys and values is, for a model of this
// shape that was trained on contexts of so many positions.
func (o Options) pool(shape kvcache.Shape, trained int) (paged.Options, error) {
	context := o.Context
	if context == 0 {
		context = trained
	}
	if context > trained && !o.Extend {
		return paged.Options{}, fmt.Errorf("context %d: the model was trained on %d; Extend allows more", context, trained)
	}
	format := o.format()
	size := o.KV
	if size == 0 {
		wanted := float64(o.parallel()) * float64(context) * float64(shape.Bytes(format)) // which may be more than an int64 holds
		size = int64(min(wanted, float64(memory.Available()/4)))
	}
	positions := o.KVPositions
	if positions == 0 {
		positions = int(size / int64(shape.Bytes(format)))
	}
	if least := min(leastPool, context); positions < least {
		return paged.Options{}, fmt.Errorf("KV: room for %d positions, need at least %d", positions, least)
	}
	return paged.Options{Positions: positions, Limit: context, Format: format}, nil
}
