package sim

import (
	"slices"
	"time"

	"example.com/minillm/batch"
	"example.com/minillm/kvcache"
	"example.com/minillm/transformer"
)

// Measure returns the cost of the steps of m: of one token, of a stretch of 64,
// and of one token with depth positions before it, each the median of reps. They
// are measured in turns, so that a slow minute of the machine counts for all.
func Measure(m batch.Model, shape kvcache.Shape, depth, reps int) (Cost, error) {
	memory, err := kvcache.NewContiguous(shape, 1, depth+1, kvcache.I16)
	if err != nil {
		return Cost{}, err
	}
	region, _, err := memory.Open(nil, "")
	if err == nil {
		err = region.Grow(depth + 1)
	}
	if err != nil {
		return Cost{}, err
	}
	defer region.Close()

	logits := make([]float32, m.VocabSize())
	pass := func(tokens, pos int) time.Duration {
		c := transformer.Chunk{Tokens: make([]int32, tokens), Pos: pos, KV: region, Logits: logits}
		start := time.Now()
		if e := m.Forward([]transformer.Chunk{c}); e != nil {
			err = e
		}
		return time.Since(start)
	}
	const stretch = 64
	for pos := 0; pos < depth; pos += stretch { // the rows that are read later
		pass(min(stretch, depth-pos), pos)
	}
	var ones, manies, deeps []time.Duration
	for range reps {
		ones, manies, deeps = append(ones, pass(1, 0)), append(manies, pass(stretch, 0)), append(deeps, pass(1, depth))
	}
	one, many, deep := median(ones), median(manies), median(deeps)
	c := Cost{Token: max(0, (many-one)/(stretch-1)), Read: max(0, (deep-one)/time.Duration(depth))}
	c.Step = max(0, one-c.Token)
	return c, err
}

// median sorts times and returns their middle.
func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
