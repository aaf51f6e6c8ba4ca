// 3-transformer computes logits: for every token of a text, what the model
// thinks comes next, and how surprised it is by what does.
//
//	go run ./examples/3-transformer [--model FILE.gguf]
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"example.com/minillm/examples/internal/open"
	"example.com/minillm/kvcache"
	"example.com/minillm/sampling"
	"example.com/minillm/transformer"
)

func main() {
	path := flag.String("model", "", "model file; without one, the embedded model")
	flag.Parse()
	open.Check(run(os.Stdout, *path))
}

func run(w io.Writer, path string) error {
	m, t, err := open.Model(path)
	if err != nil {
		return err
	}
	defer m.Close()
	ids := t.Encode(nil, "Once upon a time, there was a little fox. The fox was very hungry.")

	// Keys and values of what is computed go to memory of this sequence.
	cache, err := kvcache.NewContiguous(m.Shape(), 1, len(ids), kvcache.I16)
	if err != nil {
		return err
	}
	region, _, err := cache.Open(nil, "")
	if err != nil {
		return err
	}
	defer region.Close()
	if err := region.Grow(len(ids)); err != nil {
		return err
	}

	// One pass over the whole text. The length of Logits says that a row is
	// wanted for every token; for generating, one for the last is enough.
	logits := make([]float32, len(ids)*m.VocabSize())
	if err := m.Forward([]transformer.Chunk{{Tokens: ids, KV: region, Logits: logits}}); err != nil {
		return err
	}

	var surprise float64
	for i, next := range ids[1:] {
		row := logits[i*m.VocabSize():][:m.VocabSize()]
		best, err := sampling.Argmax(row)
		if err != nil {
			return err
		}
		lp := sampling.Logprobs(nil, row, next, 0)[0].Logprob
		surprise -= float64(lp)
		fmt.Fprintf(w, "after %-8q the model expects %-8q and gets %-8q with %5.1f %%\n",
			t.Piece(ids[i]), t.Piece(best), t.Piece(next), 100*math.Exp(float64(lp)))
	}
	fmt.Fprintf(w, "perplexity %.3g: as unsure as among so many equally likely tokens\n", math.Exp(surprise/float64(len(ids)-1)))
	return nil
}
