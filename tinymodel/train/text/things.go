package text

import (
	"fmt"
	"strings"
)

// bySize are animals, each clearly bigger than those before.
var bySize = strings.Fields("ant bee mouse frog squirrel rabbit cat fox dog sheep wolf pig donkey cow bear horse giraffe elephant whale")

// bigger compares two animals.
func (s *scene) bigger() []Turn {
	i, j := s.r.IntN(len(bySize)), s.r.IntN(len(bySize))
	if i == j {
		j = (i + 5) % len(bySize)
	}
	a, b := bySize[i], bySize[j]
	big, small := bySize[max(i, j)], bySize[min(i, j)]
	if s.chance(40) {
		if s.chance(50) {
			return s.pair(s.say("{Which|Who|What} is {bigger|larger}, {a|the} "+a+" or {a|the} "+b+"?"), s.say("A "+big+" is bigger than a "+small+"."))
		}
		return s.pair(s.say("{Which|Who|What} is smaller, {a|the} "+a+" or {a|the} "+b+"?"), s.say("A "+small+" is smaller than a "+big+"."))
	}
	answer := map[bool]string{true: "Yes", false: "No"}[i > j]
	return s.pair(s.say("Is {a|the} "+a+" {bigger|larger} than {a|the} "+b+"?"), s.say(answer+", a "+big+" is bigger than a "+small+"."))
}

var numbers = strings.Fields("zero one two three four five six seven eight nine ten")

// list names some things of a kind.
func (s *scene) list() []Turn {
	kind := s.expand("[category]")
	items := strings.Split(s.expand("[category.items]"), ", ")
	s.r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	n := 2 + s.r.IntN(min(4, len(items)-1))
	if s.chance(20) {
		return s.pair(s.say("{Name|Tell me|Give me|Say} a "+singular(kind)+"{.|}"), capital(items[0])+".")
	}
	ask := s.fill("{Name|Tell me|List|Give me|Can you name|Write down} {%s|%d} "+kind+"{.|}", numbers[n], n)
	return s.pair(ask, capital(strings.Join(items[:n-1], ", "))+" and "+items[n-1]+".")
}

// singular of the name of a category.
func singular(kind string) string {
	switch kind {
	case "clothes", "furniture":
		return "piece of " + kind
	case "countries", "cities":
		return strings.TrimSuffix(kind, "ies") + "y"
	}
	return strings.TrimSuffix(kind, "s")
}

// belongs asks whether, or to what kind, something belongs.
func (s *scene) belongs() []Turn {
	kind, other := s.expand("[category]"), s.expand("[category2]")
	items := strings.Split(s.expand("[category.items]"), ", ")
	item := one(s, items...)
	thing := "a " + item
	if capital(item) == item || kind == "colours" || kind == "seasons" || kind == "drinks" || kind == "sports" {
		thing = item
	}
	in := func(k string) string { return "a " + singular(k) }
	switch s.r.IntN(4) {
	case 0:
		if strings.Contains(s.expand("[category2.items]"), item) {
			other = kind
		}
		if other == kind {
			break
		}
		return s.pair(s.say("Is "+thing+" "+in(other)+"?"), s.say("No, "+thing+" is "+in(kind)+"."))
	case 1:
		odd := one(s, strings.Split(s.expand("[category2.items]"), ", ")...)
		if other == kind || strings.Contains(s.expand("[category.items]"), odd) {
			break
		}
		words := append([]string{odd}, items[:2+s.r.IntN(2)]...)
		s.r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		q := s.say("{Which word|Which|What} does not {belong|fit}:") + " " + strings.Join(words, ", ") + "?"
		return s.pair(q, s.say(capital(odd)+" does not belong. The others are "+kind+"."))
	case 2:
		return s.pair(s.say("{What is|What kind of thing is} "+thing+"?"), s.say(thing+" is "+in(kind)+"."))
	}
	return s.pair(s.say("Is "+thing+" "+in(kind)+"?"), s.say("Yes, "+thing+" is "+in(kind)+"."))
}

// repeat asks for words to be said again.
func (s *scene) repeat() []Turn {
	what := s.say("{[trait] [animalname]|The [animalname] is [mood].|[invented]|[toy], [food] and [place]|I like [food].|[invented] and [invented2]|hello|[colour] [toy]|My [toy] is [colour].}")
	switch s.r.IntN(4) {
	case 0:
		who := s.childName(one(s, "girl", "boy"))
		return s.pair(s.say("Say {hello|hi|good morning|goodbye|thank you} to "+who+"."), fmt.Sprintf("Hello, %s!", who))
	case 1:
		word := s.expand("{[animalname]|[food]|[colour]|hello|[invented]}")
		n := 2 + s.r.IntN(3)
		times := []string{"", "", "twice", "three times", "four times"}[n]
		return s.pair("Say "+word+" "+times+".", capital(strings.TrimSuffix(strings.Repeat(word+", ", n), ", "))+".")
	}
	return s.pair(one(s, "Repeat: ", "Repeat after me: ", "Say: ", "Please say: ", "Please repeat: ")+what, what)
}
