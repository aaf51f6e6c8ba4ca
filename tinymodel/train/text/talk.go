package text

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed talk.txt
var talkFile string

// groups are the lines of exchanges, by their names; order has the names, each
// as often as its weight says.
var groups, order = readTalk(talkFile)

func readTalk(file string) (groups map[string][]string, order []string) {
	groups = map[string][]string{}
	name := ""
	for line := range lines(file) {
		if head, ok := strings.CutPrefix(line, "@ "); ok {
			f := strings.Fields(head)
			weight, err := strconv.Atoi(f[1])
			if err != nil {
				panic("text: talk: " + line)
			}
			name = f[0]
			for range weight {
				order = append(order, name)
			}
			continue
		}
		groups[name] = append(groups[name], line)
	}
	return groups, order
}

// line draws one exchange, or a few that belong together, of a group.
func (s *scene) line(group []string) []Turn {
	s.clear()
	line := one(s, group...)
	var turns []Turn
	if system, rest, ok := strings.Cut(line, " | "); ok && strings.HasPrefix(line, "^") {
		turns, line = append(turns, Turn{"system", s.say(system[1:])}), rest
	}
	for i, part := range strings.Split(line, " => ") {
		turns = append(turns, Turn{speaker(i), s.say(part)})
	}
	return turns
}

// speaker is the role of turn i.
func speaker(i int) string { return []string{"user", "assistant"}[i%2] }

// made are the exchanges that a program makes, with their weights.
var made = []struct {
	weight int
	turns  func(s *scene) []Turn
}{
	{12, (*scene).sum}, {3, (*scene).compare}, {3, (*scene).count}, {6, (*scene).problem}, {3, (*scene).neighbour},
	{4, (*scene).bigger}, {4, (*scene).list}, {4, (*scene).belongs}, {3, (*scene).repeat}, {18, (*scene).passage},
}

// exchange draws an exchange of any kind.
func (s *scene) exchange() []Turn {
	total := len(order)
	for _, m := range made {
		total += m.weight
	}
	n := s.r.IntN(total)
	if n < len(order) {
		return s.line(groups[order[n]])
	}
	n -= len(order)
	for _, m := range made {
		if n -= m.weight; n < 0 {
			s.clear()
			return m.turns(s)
		}
	}
	panic("text: weights do not add up")
}

// systems are instructions that change nothing.
var systems = strings.Split("You are a helpful assistant.|You are a friendly assistant.|You are Tiny, a very small language model.|"+
	"Answer in short sentences.|You are a kind story teller.|Be friendly and brief.|You are a helpful AI assistant.|Answer the user's questions.", "|")

// conversation is one exchange, or several.
func (s *scene) conversation() []Turn {
	var turns []Turn
	if s.chance(12) {
		turns = append(turns, Turn{"system", one(s, systems...)})
	}
	n := 1
	switch r := s.r.IntN(100); {
	case r < 25:
		n = 2 + s.r.IntN(3)
	case r < 40:
		n = 4 + s.r.IntN(7)
	case r < 43:
		n = 10 + s.r.IntN(15)
	}
	if n > 1 && s.chance(50) {
		return append(turns, s.acquaintance(n)...)
	}
	for range n {
		e := s.exchange()
		if e[0].Role == "system" && len(turns) > 0 {
			break // what it says would not hold any more
		}
		turns = append(turns, e...)
	}
	return turns
}
