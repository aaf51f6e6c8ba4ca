// Package text writes the texts that the embedded model is trained on: short stories, answers to easy questions, and
// conversations. A grammar (words.txt, plots.txt, talk.txt) draws them at random, but what belongs together in a text,
// such as the name and the colour of a thing, is drawn once. The same seed and number give the same text.
package text

import (
	"math/rand/v2"
)

// Turn is what one role says.
type Turn struct {
	Role string // "system", "user", "assistant"; "" for a text that is no conversation
	Text string
}

// Doc is a document: a story, which is one turn without a role, or a conversation.
type Doc struct {
	Kind  string
	Turns []Turn
}

// Seeds of the texts to learn from, of those to end with, and of those held out.
const (
	TrainSeed   = 1
	HeldOutSeed = 2
	LateSeed    = 3
)

// New returns document number n of those that a seed stands for.
func New(seed, n uint64) Doc { return draw(seed, n, (*scene).doc) }

// NewLate returns document number n of those to end with: three of ten have sums and other exercises with numbers, and
// as many are questions about facts and passages, which take more practice than all else; the others are like those of New.
func NewLate(seed, n uint64) Doc {
	return draw(seed, n, func(s *scene) Doc {
		switch n := s.r.IntN(10); {
		case n < 3:
			return Doc{"numbers", s.numbers()}
		case n < 6:
			return Doc{"facts", s.facts()}
		}
		return s.doc()
	})
}

// NewPassage returns a few sentences about some people, with a question and its answer, and perhaps more of them.
func NewPassage(seed, n uint64) Doc {
	return draw(seed, n, func(s *scene) Doc { return Doc{"passage", s.passage()} })
}

func draw(seed, n uint64, doc func(*scene) Doc) Doc {
	for try := uint64(0); ; try++ {
		s := newScene(rand.New(rand.NewPCG(seed, n+try<<40)))
		if d := doc(s); !s.missing {
			return d
		}
	}
}

// doc draws one of the kinds of documents.
func (s *scene) doc() Doc {
	switch n := s.r.IntN(100); {
	case n < 14:
		return Doc{"story", []Turn{{"", s.story().text}}}
	case n < 28:
		return Doc{"tell", s.tell()}
	case n < 38:
		return Doc{"continue", s.goOn()}
	default:
		return Doc{"talk", s.conversation()}
	}
}
