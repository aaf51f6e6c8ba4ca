package batch

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/minillm/kvcache"
	"example.com/minillm/sampling"
)

// ErrTooLong says that a sequence could never fit into the cache.
var ErrTooLong = errors.New("batch: sequence longer than the cache")

// ErrEmpty says that a prompt has no tokens: there is nothing to continue.
var ErrEmpty = errors.New("batch: empty prompt")

// Spec is what a sequence is asked for; zero values are the defaults.
type Spec struct {
	Prompt  []int32          // at least one token; not changed, and kept until the sequence is dropped
	Sampler sampling.Sampler // nil is greedy
	Max     int              // new tokens; 0 or less: as many as the cache's limit leaves
	Stop    []int32          // ids that end the generation; the one that did is part of the output

	Logprobs       bool // of the chosen tokens
	TopLogprobs    int  // and of so many alternatives
	PromptLogprobs bool // of the prompt's tokens, with as many alternatives; takes no shared prefix
	Embed          bool // the mean of the prompt's hidden rows; takes no shared prefix
	OnlyPrompt     bool // compute the prompt and sample nothing: to score or embed a text
	NoCache        bool // compute the whole sequence for every token: the baseline that shows what the cache saves

	Priority int       // lower goes first
	Tenant   string    // fairness is among tenants, by tokens
	Weight   float64   // the tenant's share against the others'; 0 is 1
	Deadline time.Time // after it the sequence ends as Timeout; zero is none
	Salt     string    // prefixes are shared only under the same salt
}

// Sequence is one generation in progress: its tokens, of which the first
// computed have keys and values. There are no phases: in prefill many tokens
// are pending, in decode one, after a preemption all of them, after a prefix
// hit some are computed before the first step.
//
// The counters move only through its verbs. A sequence belongs to the goroutine
// that schedules; no method may run concurrently with another or with a step.
type Sequence struct {
	spec     Spec
	tokens   []int32 // the prompt, then the output
	computed int     // tokens that have keys and values
	region   kvcache.Region
	room     int // positions reserved in region
	limit    int // of the cache that admitted it
	cached   int
	begun    bool // had memory and room once
	started  time.Time

	finish Finish
	err    error

	scores
}

// greedy is the sampler of a Spec that names none.
var greedy = func() sampling.Sampler {
	s, err := sampling.New(sampling.Params{})
	if err != nil {
		panic(err) // the zero value is documented to be valid
	}
	return s
}()

// NewSequence returns a sequence that waits for a policy to admit it.
func NewSequence(s Spec) *Sequence {
	if s.Sampler == nil {
		s.Sampler = greedy
	}
	s.Max = max(s.Max, 0)
	return &Sequence{spec: s, tokens: slices.Clone(s.Prompt)}
}

// Spec returns what the sequence was asked for.
func (s *Sequence) Spec() *Spec { return &s.spec }

// Tokens returns the prompt and the output so far. The slice must not be changed.
func (s *Sequence) Tokens() []int32 { return s.tokens }

// Output returns the tokens generated so far, the one that stopped it included.
// The slice must not be changed.
func (s *Sequence) Output() []int32 { return s.tokens[len(s.spec.Prompt):] }

// Prompt returns the length of the prompt.
func (s *Sequence) Prompt() int { return len(s.spec.Prompt) }

// Pending returns how many tokens are known but not computed.
func (s *Sequence) Pending() int { return len(s.tokens) - s.computed }

// Computed returns how many tokens have keys and values.
func (s *Sequence) Computed() int { return s.computed }

// Cached returns how many prompt tokens were found in the cache when the
// sequence was first scheduled.
func (s *Sequence) Cached() int { return s.cached }

// PromptComputed reports whether the whole prompt has been computed. The other
// choices of a request are added then: they find its blocks and share them.
func (s *Sequence) PromptComputed() bool {
	return s.computed >= s.Prompt() || len(s.Output()) > 0
}

// Started returns when the sequence was first admitted; zero before.
func (s *Sequence) Started() time.Time { return s.started }

// Admitted reports whether the sequence has memory.
func (s *Sequence) Admitted() bool { return s.region != nil }

// Fits reports whether c could ever hold the sequence: ErrEmpty or ErrTooLong
// where it could not. Policies ask on arrival.
func (s *Sequence) Fits(c kvcache.Cache) error {
	if s.Prompt() == 0 {
		return ErrEmpty
	}
	if s.Prompt() > c.Limit() {
		return fmt.Errorf("%w: %d tokens, room for %d", ErrTooLong, s.Prompt(), c.Limit())
	}
	return nil
}

// Longest returns the most positions that the sequence can come to need in c.
// The last token needs none: nothing is computed after it.
func (s *Sequence) Longest(c kvcache.Cache) int {
	if s.spec.OnlyPrompt {
		return s.Prompt()
	}
	if s.spec.Max == 0 {
		return c.Limit()
	}
	return min(s.Prompt()+min(s.spec.Max, c.Limit())-1, c.Limit()) // no sum overflows
}

// Admit opens memory in c; what c holds of the sequence's beginning counts as
// computed. The sequence must have no memory yet.
func (s *Sequence) Admit(c kvcache.Cache) error {
	if s.region != nil {
		panic("batch: sequence admitted twice")
	}
	region, n, err := c.Open(s.known(), s.spec.Salt)
	if err != nil {
		return err
	}
	s.region, s.computed, s.room, s.limit = region, n, n, c.Limit()
	if !s.begun {
		s.cached = n
	}
	return nil
}

// known returns the tokens that may be found in the cache. Prompt positions
// whose rows are still to be read must be computed, found or not.
func (s *Sequence) known() []int32 {
	switch {
	case s.spec.NoCache:
		return nil
	case s.reads():
		return s.tokens[:s.read+1]
	}
	return s.tokens
}

// Reserve makes room for the next n tokens after the computed ones: all of it,
// or none and an error that wraps kvcache.ErrFull.
func (s *Sequence) Reserve(n int) error {
	if s.computed+n <= s.room {
		return nil
	}
	if err := s.region.Grow(s.computed + n); err != nil {
		return err
	}
	s.room = s.computed + n
	return nil
}

// Start notes when the sequence first had memory and room; a policy says so. What
// it found in the cache by then is what Cached tells.
func (s *Sequence) Start(now time.Time) {
	if !s.begun {
		s.begun, s.started = true, now
	}
}

// Evict gives the memory back: retirement, or preemption by recompute. A
// sequence without memory stays as it is.
func (s *Sequence) Evict() {
	if s.region == nil {
		return
	}
	region := s.region
	s.region, s.computed, s.room = nil, 0, 0 // before Close: one that panics is not tried again
	region.Close()
}

// Common returns how many of its first tokens s could share with o in a cache
// once o has computed them; one is always left to compute.
func (s *Sequence) Common(o *Sequence) int {
	if s.spec.Salt != o.spec.Salt || o.spec.NoCache || o.reads() {
		return 0
	}
	mine := s.known()
	n := min(len(mine)-1, len(o.tokens))
	for i := range n {
		if mine[i] != o.tokens[i] {
			return i
		}
	}
	return max(n, 0)
}
