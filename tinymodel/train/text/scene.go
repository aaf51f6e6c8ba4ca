package text

import (
	"math/rand/v2"
	"strings"
)

// scene is what is known while one document is drawn.
type scene struct {
	r       *rand.Rand
	rows    map[string][]string // drawn from tables, by the names of variables
	values  map[string]string   // of variables, by key
	cast    map[string]*character
	strict  bool // draw nothing new
	missing bool // something was asked for that there is not
}

func newScene(r *rand.Rand) *scene {
	s := &scene{r: r}
	s.clear()
	return s
}

// clear forgets all that was drawn.
func (s *scene) clear() {
	s.rows, s.values, s.cast = map[string][]string{}, map[string]string{}, map[string]*character{}
}

// say expands a template and mends what joining phrases has broken.
func (s *scene) say(template string) string { return polish(s.expand(template)) }

// expand draws one of the alternatives of a template, those of its groups in
// braces, and the variables in brackets.
func (s *scene) expand(template string) string {
	all := split(template, '|')
	template = all[s.r.IntN(len(all))]
	var out strings.Builder
	for i := 0; i < len(template); i++ {
		switch c := template[i]; {
		case c == '{' || c == '[':
			end := i + matching(template[i:])
			if c == '{' {
				out.WriteString(s.expand(template[i+1 : end]))
			} else {
				out.WriteString(s.variable(template[i+1 : end]))
			}
			i = end
		case strings.HasPrefix(template[i:], `\n`):
			out.WriteByte('\n')
			i++
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// variable is the value of what stands in brackets: "^" before it makes a
// capital, "a " an article; ":" gives the words to choose from.
func (s *scene) variable(key string) string {
	if rest, ok := strings.CutPrefix(key, "^"); ok {
		return capital(s.variable(rest))
	}
	for _, article := range []string{"a ", "an "} {
		if rest, ok := strings.CutPrefix(key, article); ok {
			return withArticle(s.variable(rest))
		}
	}
	name, list, ok := strings.Cut(key, ":")
	if value, known := s.values[name]; known {
		return value
	}
	if ok {
		words := strings.Split(list, ",")
		s.rows[name] = []string{words[s.r.IntN(len(words))]}
	}
	if who, what, _ := strings.Cut(name, "."); s.cast[who] != nil {
		return s.cast[who].form(what)
	}
	value := s.draw(name)
	s.values[name] = value
	return value
}

// draw takes a column of a row, and the row from its table if it is new.
func (s *scene) draw(key string) string {
	if strings.HasPrefix(key, "invented") {
		return s.invent()
	}
	name, column, _ := strings.Cut(key, ".")
	t := tables[name]
	if t == nil {
		t = tables[strings.TrimRight(name, "0123456789")]
	}
	if t == nil {
		panic("text: no table " + key)
	}
	if s.rows[name] == nil {
		s.missing = s.missing || s.strict
		s.rows[name] = s.other(t)
	}
	raw := s.rows[name][t.column(column)]
	s.missing = s.missing || raw == "-"
	return s.expand(raw)
}

// other is a row that no variable has yet, if chance finds one.
func (s *scene) other(t *table) (row []string) {
	for range 10 {
		row = t.rows[s.r.IntN(len(t.rows))]
		taken := false
		for _, r := range s.rows {
			taken = taken || r[0] == row[0]
		}
		if !taken {
			break
		}
	}
	return row
}

// invent makes up a name.
func (s *scene) invent() string {
	pick := func(list string) string {
		all := strings.Split(list, " ")
		return all[s.r.IntN(len(all))]
	}
	name := ""
	for range 2 + s.r.IntN(2) {
		name += pick("b d f g k l m n p r s t v z br dr gr kr tr bl fl gl sh ch th qu w h j") + pick("a e i o u a e i o ai ee oo")
	}
	return capital(name + pick("    n r l s x k m nd rt sh"))
}

func (s *scene) chance(percent int) bool { return s.r.IntN(100) < percent }

func one[T any](s *scene, all ...T) T { return all[s.r.IntN(len(all))] }
