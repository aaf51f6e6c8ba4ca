package text

import "strings"

// character is somebody in a story.
type character struct {
	name, kind   string // name is "" for one that is called by its kind
	size         string
	animal       bool
	he, him, his string
	friend       string // how a child is introduced: "his friend"
	known        bool   // has been introduced
}

// pronouns by kind, where it says which.
var pronouns = map[string]string{
	"queen": "she", "princess": "she", "witch": "she", "fairy": "she", "mermaid": "she", "girl": "she", "hen": "she",
	"cow": "she", "king": "he", "prince": "he", "knight": "he", "wizard": "he", "fisherman": "he", "boy": "he",
	"postman": "he", "snowman": "he", "ladybird": "she",
}

func (c *character) setPronouns(he string) {
	c.he = he
	switch he {
	case "he":
		c.him, c.his = "him", "his"
	case "she":
		c.him, c.his = "her", "her"
	default:
		c.him, c.his = "it", "its"
	}
}

// character draws somebody of a kind: "child", "animal", "hero", or "" for any.
func (s *scene) character(kind string) *character {
	if kind == "" {
		kind = one(s, "child", "child", "animal", "animal", "animal", "hero")
	}
	c := &character{size: s.expand(s.pickOf("size"))}
	switch kind {
	case "child":
		c.kind = one(s, "girl", "boy")
		c.name, c.size = s.childName(c.kind), one(s, "little", "small", "young", "little", "tall")
	case "animal", "hero":
		c.kind, c.animal = s.expand(s.pickOf(map[string]string{"animal": "animalname", "hero": "hero"}[kind])), kind == "animal"
		if s.chance(60) {
			c.name = s.petName()
		}
	}
	s.gender(c)
	return c
}

// gender gives a character its pronouns.
func (s *scene) gender(c *character) {
	he := pronouns[c.kind]
	if he == "" {
		he = one(s, "he", "she", "he", "she", "it")
		if c.name != "" && he == "it" {
			he = "she"
		}
	}
	c.setPronouns(he)
}

func (s *scene) pickOf(name string) string { return s.other(tables[name])[0] }

func (s *scene) childName(kind string) string {
	if s.chance(25) {
		return s.invent()
	}
	return s.pickOf(kind)
}

func (s *scene) petName() string {
	if n := s.r.IntN(10); n < 2 {
		return s.invent()
	} else if n < 4 {
		return s.pickOf(one(s, "girl", "boy"))
	}
	return s.pickOf("petname")
}

func (c *character) child() bool { return c.kind == "girl" || c.kind == "boy" }

// form is how a character is mentioned: "", "he", "him", "his", "name", "an".
func (c *character) form(what string) string {
	switch what {
	case "":
		return c.mention()
	case "he":
		return c.he
	case "him":
		return c.him
	case "his":
		return c.his
	case "name":
		if c.name == "" {
			return capital(c.kind)
		}
		return c.name
	case "an":
		return "a " + c.kind
	}
	panic("text: no form " + what)
}

// mention introduces a character the first time.
func (c *character) mention() string {
	first := !c.known
	c.known = true
	switch {
	case c.name == "" && first:
		return "a " + c.kind
	case c.name == "":
		return "the " + c.kind
	case first && c.child():
		return c.friend + " " + c.name
	case first:
		return c.name + " the " + c.kind
	}
	return c.name
}

// described is "a little fox named Rusty".
func (c *character) described(s *scene) string {
	d := "a "
	if s.chance(70) {
		d += c.size + " "
	}
	d += c.kind
	if c.name != "" {
		d += one(s, " named ", " called ", " whose name was ") + c.name
	}
	return strings.TrimSpace(d)
}
