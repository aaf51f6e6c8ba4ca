package text

import (
	"fmt"
	"strings"
)

// fill is fmt.Sprintf into a template.
func (s *scene) fill(template string, args ...any) string {
	return s.say(fmt.Sprintf(template, args...))
}

func (s *scene) pair(q, a string) []Turn { return []Turn{user(q), assistant(a)} }

const (
	mostSum     = 20
	mostProduct = 10
)

// sum asks for a sum, a difference, a product or a quotient of small numbers.
func (s *scene) sum() []Turn {
	a, b := s.r.IntN(mostSum+1), s.r.IntN(mostSum+1)
	switch s.r.IntN(14) {
	case 0, 1, 2:
		if a < b {
			a, b = b, a
		}
		return s.calculation(a, b, a-b, "-", "minus")
	case 3, 4, 5:
		a, b = s.r.IntN(mostProduct+1), s.r.IntN(mostProduct+1)
		return s.calculation(a, b, a*b, one(s, "*", "x"), "times")
	case 6:
		b = 1 + s.r.IntN(9)
		a = b * s.r.IntN(10)
		return s.calculation(a, b, a/b, "/", "divided by")
	case 7:
		return s.tooBig()
	}
	return s.calculation(a, b, a+b, "+", "plus")
}

func (s *scene) calculation(a, b, result int, sign, word string) []Turn {
	ask := one(s, "What is %s?", "What is %s?", "What's %s?", "%s", "%s=", "%s = ?", "How much is %s?", "Calculate %s.", "%s?",
		"Can you calculate %s?", "Tell me, what is %s?", "what is %s")
	with := one(s, fmt.Sprintf("%d %s %d", a, sign, b), fmt.Sprintf("%d%s%d", a, sign, b), fmt.Sprintf("%d %s %d", a, word, b))
	return s.pair(fmt.Sprintf(ask, with), fmt.Sprintf("%d %s %d is %d.", a, word, b, result))
}

// tooBig is a sum that is not to be tried.
func (s *scene) tooBig() []Turn {
	a, b := 21+s.r.IntN(980), 21+s.r.IntN(980)
	if s.chance(30) {
		a, b = a*37, b*91
	}
	q := fmt.Sprintf("%s%d %s %d?", one(s, "What is ", "How much is ", ""), a, one(s, "+", "-", "*", "x", "/", "plus", "times", "minus"), b)
	return s.pair(q, s.say("{These|Those} numbers are too big for me. I {only|can only} {do small sums|add small numbers}."))
}

// problem is a sum in words.
func (s *scene) problem() []Turn {
	c := s.character("child")
	s.cast["a"], c.known = c, true
	things := s.expand("{apple|cookie|ball|book|egg|nut|flower|coin|stone|balloon|pear|banana|pencil|shell|button|cherry|carrot|toy}")
	plural := strings.Replace(things+"s", "ys", "ies", 1)
	if things == "toy" {
		plural = "toys"
	}
	a, b := 2+s.r.IntN(9), 1+s.r.IntN(9)
	more := s.chance(60)
	if !more && b > a {
		a, b = b, a
	}
	event, result := "{gets|finds|buys} %d more", a+b
	if !more {
		event, result = "{gives away|loses|eats|sells} %d", a-b
	}
	q := s.fill("[a] has %d "+plural+"{ and|. Then [a.he]|. [^a.he]} "+event+". How many "+plural+" does [a.he] have{ now|}?", a, b)
	if result == 1 {
		plural = things
	}
	return s.pair(q, s.fill("[a] has %d "+plural+"{ now|}.", result))
}

// compare asks which number is bigger.
func (s *scene) compare() []Turn {
	a, b := s.r.IntN(21), s.r.IntN(21)
	if a == b {
		b++
	}
	more := s.chance(60)
	result := max(a, b)
	if !more {
		result = min(a, b)
	}
	word := map[bool]string{true: one(s, "bigger", "larger", "greater"), false: one(s, "smaller", "less")}[more]
	return s.pair(s.fill("{Which is|Which number is|What is} "+word+", %d or %d?", a, b), fmt.Sprintf("%d is %s than %d.", result, word, a+b-result))
}

// count counts up or down.
func (s *scene) count() []Turn {
	from, to := 1, 3+s.r.IntN(10)
	ask := "{Count to|Can you count to|Please count to|Count up to|Count from 1 to} %[2]d{.|}"
	if s.chance(40) {
		from = 1 + s.r.IntN(12)
		to = from + 2 + s.r.IntN(8)
		ask = "{Count from|Can you count from|Count up from} %[1]d to %[2]d{.|}"
	}
	down := s.chance(25)
	if down {
		from, to = to, from
		ask = "Count {down|backwards} from %[1]d to %[2]d{.|}"
	}
	var out []string
	for i := from; ; {
		out = append(out, fmt.Sprint(i))
		if i == to {
			break
		}
		if i++; down {
			i -= 2
		}
	}
	return s.pair(s.fill(ask, from, to), strings.Join(out, ", ")+".")
}

// neighbour asks for the next number or the one before.
func (s *scene) neighbour() []Turn {
	n := 1 + s.r.IntN(50)
	if s.chance(50) {
		return s.pair(s.fill("{What|Which} {number |}{comes|is} {after|next after} %d?", n), fmt.Sprintf("%d comes after %d.", n+1, n))
	}
	return s.pair(s.fill("{What|Which} {number |}{comes|is} before %d?", n), fmt.Sprintf("%d comes before %d.", n-1, n))
}

// numbers is a conversation about them.
func (s *scene) numbers() (turns []Turn) {
	n := 1
	if s.chance(50) {
		n += 1 + s.r.IntN(6)
	}
	for range n {
		exercise := one(s, (*scene).sum, (*scene).sum, (*scene).sum, (*scene).sum, (*scene).problem, (*scene).compare, (*scene).count, (*scene).neighbour)
		s.clear()
		turns = append(turns, exercise(s)...)
	}
	return turns
}
