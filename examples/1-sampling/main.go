// 1-sampling turns logits into a token, one stage at a time.
//
//	go run ./examples/1-sampling
package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"example.com/minillm/sampling"
)

func main() { run(os.Stdout) }

// What a model might say after "The cat sat on the": a logit for each word it knows.
var (
	words  = []string{"mat", "sofa", "roof", "moon", "cat", "of"}
	logits = []float32{4.0, 3.4, 2.9, 1.0, 0.5, -2.0}
)

func run(w io.Writer) {
	show(w, "the model's own probabilities", logits)
	best, _ := sampling.Argmax(logits)
	fmt.Fprintf(w, "greedy takes the highest: %s\n\n", words[best])

	show(w, "temperature 0.5 sharpens", with(func(l []float32) { sampling.Temperature(l, 0.5) }))
	show(w, "temperature 2 flattens", with(func(l []float32) { sampling.Temperature(l, 2) }))
	show(w, "top-k 3 keeps three", with(func(l []float32) { sampling.TopK(l, 3) }))
	show(w, "top-p 0.8 keeps the fewest that reach 80 %", with(func(l []float32) { sampling.TopP(l, 0.8) }))
	show(w, "min-p 0.1 keeps what has a tenth of the best", with(func(l []float32) { sampling.MinP(l, 0.1) }))
	show(w, "a repetition penalty of 2, after \"mat\" was said", with(func(l []float32) {
		sampling.Penalize(l, []int32{0}, 0, sampling.Params{RepetitionPenalty: 2})
	}))

	draw(w)
}

// with returns a copy of the logits that a stage has changed.
func with(stage func(l []float32)) []float32 {
	l := slices.Clone(logits)
	stage(l)
	return l
}

// show draws the probabilities of logits; those of filtered words are gone.
func show(w io.Writer, title string, logits []float32) {
	p := make([]float32, len(logits))
	sampling.Softmax(p, logits)
	fmt.Fprintln(w, title)
	for i, x := range p {
		if !math.IsInf(float64(logits[i]), -1) {
			bar := strings.Repeat("#", max(1, int(40*x+0.5)))
			fmt.Fprintf(w, "  %-5s %5.1f %% %s\n", words[i], 100*x, bar)
		}
	}
	fmt.Fprintln(w)
}

// draw samples with all stages together. The random number of a position is a
// function of seed and position, so a seed always gives the same words.
func draw(w io.Writer) {
	for seed := range uint64(3) {
		sampler, err := sampling.New(sampling.Params{Temperature: 0.9, TopK: 4, TopP: 0.95, Seed: seed})
		if err != nil {
			panic(err)
		}
		var said []string
		var history []int32
		for range 8 {
			id, err := sampler.Sample(logits, history, 0)
			if err != nil {
				panic(err)
			}
			history = append(history, id)
			said = append(said, words[id])
		}
		fmt.Fprintf(w, "seed %d: %s\n", seed, strings.Join(said, " "))
	}
}
