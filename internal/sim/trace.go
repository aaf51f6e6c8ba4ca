package sim

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"example.com/minillm/batch"
)

// Trace describes the requests that arrive. The same trace gives the same
// requests, whatever serves them.
type Trace struct {
	Requests int
	Rate     float64 // a second, on average
	Burst    int     // so many arrive together; 0 or 1: each by itself, as a Poisson process
	Prompt   Lengths
	Output   Lengths
	Max      int // what clients ask for as the most, which is more than they get
	Systems  int // system prompts, one of which begins every prompt; 0: nothing is shared
	System   int // their length
	Tenants  int // who send by turns; 0 is one
	Seed     uint64
}

// Lengths is a log-normal distribution: many short ones, few very long ones.
type Lengths struct {
	Median int
	Sigma  float64 // of the logarithm; 1 gives a tail of ten times the median at 1 %
	Most   int
}

func (l Lengths) draw(rng *rand.Rand) int {
	n := int(float64(l.Median) * math.Exp(l.Sigma*rng.NormFloat64()))
	return min(max(n, 1), l.Most)
}

// Request is one of a trace.
type Request struct {
	At     time.Duration
	System int // which system prompt it begins with
	Prompt int // tokens of its own
	Output int // tokens until the model would stop
	Tenant int
	seed   uint64
}

// All returns the requests in the order of their arrival.
func (t Trace) All() iter.Seq[Request] {
	return func(yield func(Request) bool) {
		rng := rand.New(rand.NewPCG(t.Seed, 1))
		burst, at := max(t.Burst, 1), 0.0
		for i := range t.Requests {
			if i%burst == 0 {
				at += rng.ExpFloat64() * float64(burst) / t.Rate
			}
			r := Request{
				At:     time.Duration(at * float64(time.Second)),
				System: rng.IntN(max(t.Systems, 1)),
				Prompt: t.Prompt.draw(rng),
				Output: min(t.Output.draw(rng), t.Max),
				Tenant: i % max(t.Tenants, 1),
				seed:   rng.Uint64(),
			}
			if !yield(r) {
				return
			}
		}
	}
}

// spec returns what r asks for. Without sharing every request has a salt of its
// own.
func (t Trace) spec(r Request, number int, share bool) batch.Spec {
	prompt := make([]int32, 0, t.System+r.Prompt)
	if t.Systems > 0 {
		prompt = words(prompt, t.System, t.Seed+uint64(r.System))
	}
	s := batch.Spec{
		Prompt:  words(prompt, r.Prompt, r.seed),
		Sampler: length(r.Output),
		Max:     t.Max,
		Stop:    []int32{stop},
		Tenant:  fmt.Sprint(r.Tenant),
	}
	if !share {
		s.Salt = fmt.Sprint(number)
	}
	return s
}

// words appends n tokens of text number seed.
func words(dst []int32, n int, seed uint64) []int32 {
	rng := rand.NewPCG(seed, 2)
	for range n {
		dst = append(dst, int32(rng.Uint64()%vocabulary))
	}
	return dst
}

// length is a sampler that stops after so many tokens.
type length int

const stop = 0

func (n length) Sample(_ []float32, history []int32, prompt int) (int32, error) {
	if len(history)-prompt+1 >= int(n) {
		return stop, nil
	}
	return 1, nil
}
