package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Length is a number of tokens, drawn evenly from Min to Max.
type Length struct{ Min, Max int }

// Exactly is a length of n tokens.
func Exactly(n int) Length { return Length{n, n} }

func (l Length) draw(r *rand.Rand) int {
	if l.Max <= l.Min {
		return l.Min
	}
	return l.Min + r.IntN(l.Max-l.Min+1)
}

// String is the length as a flag says it: "64" or "16-128".
func (l Length) String() string {
	if l.Max <= l.Min {
		return fmt.Sprint(l.Min)
	}
	return fmt.Sprintf("%d-%d", l.Min, l.Max)
}

// Prompts makes requests of random words. A word counts as one token, which is
// nearly right: the words are chosen so that most vocabularies have a token for
// each. What a server made of them is in its counts.
type Prompts struct {
	Input  Length // tokens of a prompt, those of the prefix included
	Output Length // most tokens of an answer

	// Prefix is how many tokens, as a system message, a prompt shares with others: of
	// all requests the Share (0 stands for 1), in turn with Prefixes (0 stands for 1)
	// different ones. A request outside of that Share has a system message of its own.
	Prefix   int
	Share    float64
	Prefixes int

	Turns int           // of each conversation: 1. The input of each further turn is Input less Prefix.
	Think time.Duration // before each further turn

	// Tokens counts the tokens of a word and the space before it, for prompts
	// that are exact by a tokenizer at hand. nil: one.
	Tokens func(word string) int
	Seed   uint64
}

// Requests makes n requests, always the same for the same Prompts.
func (p Prompts) Requests(n int) []Request {
	requests := make([]Request, n)
	for i := range requests {
		r := p.random(uint64(i), 'r')
		q := &requests[i]
		if p.Prefix > 0 {
			q.Messages = append(q.Messages, Message{"system", p.prefix(i, r)})
		}
		q.Messages = append(q.Messages, Message{"user", p.words(r, p.user(r))})
		q.MaxTokens = p.Output.draw(r)
		for range p.Turns - 1 {
			q.Then = append(q.Then, Turn{Content: p.words(r, p.user(r)), MaxTokens: p.Output.draw(r), Think: p.Think})
		}
	}
	return requests
}

// user draws the tokens of a user's message: at least one.
func (p Prompts) user(r *rand.Rand) int { return max(p.Input.draw(r)-p.Prefix, 1) }

// prefix is the system message of request i.
func (p Prompts) prefix(i int, r *rand.Rand) string {
	if p.Share > 0 && r.Float64() >= p.Share {
		return p.words(r, p.Prefix)
	}
	return p.words(p.random(uint64(i%max(p.Prefixes, 1)), 'p'), p.Prefix)
}

// random is a source of its own for each thing that is drawn, so that one more
// of this does not change that.
func (p Prompts) random(i uint64, what byte) *rand.Rand {
	return rand.New(rand.NewPCG(p.Seed, i<<8|uint64(what)))
}

// words are random words of n tokens in all; the last may take one too many.
func (p Prompts) words(r *rand.Rand, n int) string {
	var b strings.Builder
	for tokens := 0; tokens < n; {
		word := vocabulary[r.IntN(len(vocabulary))]
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		if tokens++; p.Tokens != nil {
			tokens += max(p.Tokens(" "+word), 1) - 1
		}
	}
	return b.String()
}

// vocabulary has words that are one token, with the space before, in the usual
// vocabularies of 32,000 pieces and more.
var vocabulary = strings.Fields(`
able about above after again air all almost also always among animal answer any area around ask away
back base because become been before began behind best better between big bird black blue body book both
box boy bring build busy call came car care carry change check children city class clear close cold color
come common complete course cover cross cut dark day deep develop different direct door down draw dry
each early earth east easy end energy enough even every example eye face fact family far fast father feel
few field figure final find fine fire first fish five follow food foot force form four free friend front
full game gave general give gold good great green ground group grow half hand hard head hear heart heavy
help high hold home horse hot hour house hundred idea inch interest island keep kind king knew know land
language large last late learn leave left less letter life light line list little long look low machine
main make many map mark matter mean measure mind minute money moon more morning most mother mountain move
much music name near need never new next night north note number object ocean often old one only open
order other page paper part pass pattern people perhaps person picture piece place plan plane plant play
point power problem produce product question quick rain reach read ready real record red rest right river
road rock room round rule run same school science sea second seem sentence set several shape ship short
show side simple since sit size sleep slow small snow some song sound south space special stand star start
state stay step still stood stop story street strong study such sun sure surface system table tail take
talk teach tell test thing think though thousand three through time together told took top toward town
travel tree true turn under unit until upon use usual very voice walk warm watch water week weight well
west wheel white whole wind wonder wood word work world write year young`)
