package text

import (
	_ "embed"
	"strings"
)

//go:embed plots.txt
var plotsFile string

// plot is what happens in a story, as templates.
type plot struct {
	name    string
	about   []string // after "the hero who"
	steps   []step
	asked   []exchange
	animals bool // the friend must be one
}

type step struct {
	all   []string
	maybe bool
}

// exchange is a question with its answer.
type exchange struct{ q, a string }

var plots = readPlots(plotsFile)

func readPlots(file string) (all []*plot) {
	var p *plot
	for line := range lines(file) {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "plot":
			p = &plot{name: rest}
			all = append(all, p)
		case "T":
			p.about = append(p.about, rest)
		case "S", "?":
			p.steps = append(p.steps, step{strings.Split(rest, " || "), word == "?"})
		case "Q":
			q, a, _ := strings.Cut(rest, " => ")
			p.asked = append(p.asked, exchange{q, a})
		case "F":
			p.animals = true
		default:
			panic("text: plots: " + line)
		}
	}
	return all
}

// story is a story with what can be asked about it.
type story struct {
	hero, friend *character
	title        string // "a fox named Rusty who lost his red ball"
	text         string
	asked        []exchange
}

// story draws a whole story.
func (s *scene) story() *story {
	return s.storyOf(s.character(""))
}

func (s *scene) storyOf(hero *character) *story {
	s.clear()
	p := one(s, plots...)
	friend := s.friendOf(hero, p)
	s.cast["a"], s.cast["b"] = hero, friend
	t := &story{hero: hero, friend: friend}
	hero.known, friend.known = true, friend.name != ""
	t.title = hero.described(s) + " who " + s.expand(one(s, p.about...))
	friend.known = false
	body := s.opening(p)
	for _, st := range p.steps {
		if st.maybe && s.chance(50) {
			continue
		}
		body = append(body, s.expand(one(s, st.all...)))
	}
	t.text = polish(s.join(append(body, s.ending()...)))
	t.asked = s.questions(t, p)
	return t
}

// friendOf draws somebody who is not the hero.
func (s *scene) friendOf(hero *character, p *plot) *character {
	kind := one(s, "animal", "animal", "child", "hero")
	if hero.child() {
		kind = one(s, "animal", "child", "child", "hero")
	}
	if p.animals {
		kind = "animal"
	}
	for {
		c := s.character(kind)
		if c.name != hero.name && c.kind != hero.kind || c.name != hero.name && c.child() {
			c.friend = hero.his + " " + one(s, "friend", "friend", "friend", map[string]string{"he": "brother", "she": "sister"}[c.he])
			if !hero.child() {
				c.friend = one(s, hero.his+" friend", "little", "young")
			}
			return c
		}
	}
}

// opening introduces the hero.
func (s *scene) opening(p *plot) []string {
	h := s.cast["a"]
	desc := h.described(s)
	home := "[^a.he] lived [home]."
	first := one(s,
		"Once upon a time, there was "+desc+". "+home,
		"Once upon a time, there was "+desc+". "+home,
		"Once upon a time, there was "+desc+" who lived [home].",
		"Once upon a time, "+desc+" lived [home].",
		"Once there was "+desc+". "+home,
		"There once was "+desc+" who lived [home].",
		"Long ago, "+desc+" lived [home].",
		"Far away, [home], lived "+desc+".",
		capital(desc)+" lived [home].",
		"Not long ago, there was "+desc+".",
		"This is the story of "+desc+". "+home,
		"In a [place] far away, there lived "+desc+".",
	)
	out := []string{s.expand(first)}
	if s.chance(60) {
		like := s.expand("[work]")
		if p.name == "work" {
			like = s.expand("[work9]")
		}
		out = append(out, s.expand(one(s,
			"[^a.he] was very [trait].",
			"[^a.he] was [trait] and [trait2].",
			"[^a.he] liked to "+like+".",
			"[^a.he] was [trait], and [a.he] liked to "+like+".",
			"Everybody {knew|liked} [a], because [a.he] was so [trait].",
			"{Every day|Most of all} [a.he] liked to "+like+".")))
	}
	return out
}

// ending is a last sentence, or none.
func (s *scene) ending() []string {
	switch s.r.IntN(8) {
	case 0:
		return []string{"The end."}
	case 1:
		return []string{s.expand("And they {lived happily ever after|were happy for a long, long time}.")}
	case 2:
		return []string{s.expand("That night, [a] slept {very well|deeply and well} and dreamed of {the next day|[a food]|the stars|the sea}.")}
	case 3:
		return []string{s.expand("[moral].")}
	}
	return nil
}

// join makes paragraphs of sentences, in some stories.
func (s *scene) join(body []string) string {
	if s.chance(65) {
		return strings.Join(body, " ")
	}
	var out strings.Builder
	for i, b := range body {
		switch {
		case i == 0:
		case i >= 2 && (i-2)%3 == 0:
			out.WriteString("\n\n")
		default:
			out.WriteByte(' ')
		}
		out.WriteString(b)
	}
	return out.String()
}

// questions are those whose answers the text has.
func (s *scene) questions(t *story, p *plot) (all []exchange) {
	s.strict = true
	ask := func(q, a string) {
		before := s.missing
		s.missing = false
		e := exchange{s.say(q), s.say(a)}
		if !s.missing {
			all = append(all, e)
		}
		s.missing = before
	}
	for _, e := range p.asked {
		ask(e.q, e.a)
	}
	if s.rows["home"] != nil {
		ask("Where {did|does} [a] live?", "[^a.he] lived [home].")
	}
	if t.hero.name != "" {
		ask("What {is|was} the {name of the "+t.hero.kind+"|"+t.hero.kind+"'s name}?", "The "+t.hero.kind+"'s name {is|was} [a.name].")
		ask("Who {is|was} [a]?", "[a] {is|was} a "+t.hero.kind+".")
	}
	if s.rows["work"] != nil && p.name != "work" && strings.Contains(t.text, " to "+s.expand("[work]")) {
		ask("What did [a] like to do?", "[^a.he] liked to [work].")
	}
	s.strict = false
	s.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}
