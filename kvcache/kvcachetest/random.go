package kvcachetest

import (
	"errors"
	"math/rand/v2"

	"example.com/minillm/kvcache"
)

// sequence is one that is open in randomOperations.
type sequence struct {
	kvcache.Region
	rows   *rows // as far as they are written
	target []int32
	salt   string
}

// randomOperations opens, grows, writes, publishes and closes sequences with
// few different prompts, so that they share whatever can be shared, and checks
// each one's rows whenever it closes.
func (s *suite) randomOperations() {
	random := rand.New(rand.NewPCG(5, 5))
	start := s.cache.Free()
	prompts := randomPrompts(random, min(s.cache.Limit(), 100))
	var live []*sequence
	for range 600 {
		if len(live) == 0 || random.IntN(8) == 0 {
			live = append(live, s.begin(random, prompts))
			continue
		}
		i := random.IntN(len(live))
		if q := live[i]; random.IntN(6) > 0 && s.advance(random, q) {
			continue
		}
		s.end(live[i])
		live[i] = live[len(live)-1]
		live = live[:len(live)-1]
	}
	for _, q := range live {
		s.end(q)
	}
	if got := s.cache.Free(); got != start {
		s.Errorf("%d positions free at the end, %d at the start", got, start)
	}
}

// randomPrompts returns prompts of which many begin alike.
func randomPrompts(random *rand.Rand, longest int) [][]int32 {
	prompts := [][]int32{randomTokens(random, longest)}
	for len(prompts) < 6 {
		p := append([]int32(nil), prompts[random.IntN(len(prompts))]...)
		p[random.IntN(len(p))]++
		prompts = append(prompts, p[:len(p)/2+random.IntN(len(p)/2)+1])
	}
	return prompts
}

func (s *suite) begin(random *rand.Rand, prompts [][]int32) *sequence {
	q := &sequence{target: prompts[random.IntN(len(prompts))], salt: []string{"", "x"}[random.IntN(2)]}
	tokens := q.target
	if random.IntN(5) == 0 {
		tokens = nil
	}
	var had int
	q.Region, had = s.open(tokens, q.salt)
	q.rows = rowsOf(s.shape, q.target[:had])
	return q
}

// advance writes and publishes the next few rows; it reports false if there is
// no room or nothing left.
func (s *suite) advance(random *rand.Rand, q *sequence) bool {
	from := len(q.rows.tokens)
	to := min(from+1+random.IntN(40), len(q.target))
	free := s.cache.Free()
	if err := q.Grow(to); err != nil {
		if !errors.Is(err, kvcache.ErrFull) || s.cache.Free() != free {
			s.Fatalf("Grow(%d): %v, and %d positions fewer", to, err, free-s.cache.Free())
		}
		return false
	}
	q.rows.extend(q.target[from:to]...)
	for pos := from; pos < to; pos++ {
		q.rows.put(q.Region, pos)
	}
	q.Publish(q.rows.tokens)
	return to < len(q.target)
}

func (s *suite) end(q *sequence) {
	q.rows.check(s, q.Region, len(q.rows.tokens))
	q.Close()
}
