package text

import (
	"fmt"
	"strings"
)

// passage is a text about some people, with questions about them.
func (s *scene) passage() []Turn {
	var told []string
	var asked []exchange
	for i := range 1 + s.r.IntN(4) {
		t, a := s.person(i)
		told, asked = append(told, t...), append(asked, a...)
	}
	s.r.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
	text := strings.Join(told, " ")
	ask := one(s, "%s %s", "%s %s", "%s\n%s", "%s\n\n%s", "Read this: %s\n%s", "%s\nQuestion: %s", "Text: %s\nQuestion: %s")
	turns := []Turn{user(fmt.Sprintf(ask, text, asked[0].q)), assistant(asked[0].a)}
	if s.chance(12) {
		turns = []Turn{user(text), assistant(s.say("{I see|I understand|All right}. {What do you want to know?|Do you have a question?|}")), user(asked[0].q), assistant(asked[0].a)}
	}
	for _, e := range asked[1:] {
		if !s.chance(50) {
			break
		}
		turns = append(turns, user(e.q), assistant(e.a))
	}
	return turns
}

// person tells one to three facts about somebody and asks about them. Everybody
// has other things, since values are drawn under other names.
func (s *scene) person(i int) (told []string, asked []exchange) {
	c := s.character(one(s, "child", "child", "animal"))
	for c.name == "" {
		c = s.character("animal")
	}
	c.known = true
	s.cast["a"] = c
	v := func(t string) string { // variables of this person
		for _, name := range []string{"toy", "colour", "place", "work", "food", "petname", "animal", "home"} {
			t = strings.NewReplacer("["+name+"]", fmt.Sprintf("[%s%d]", name, i+1), "[a "+name+"]", fmt.Sprintf("[a %s%d]", name, i+1),
				"["+name+".name]", fmt.Sprintf("[%s%d]", name, i+1)).Replace(t)
		}
		return s.say(t)
	}
	facts := []func() (string, []exchange){
		func() (string, []exchange) {
			return "[a] {has|has|owns|bought|found} [a colour] [toy].", []exchange{
				{"What colour is [a]'s [toy]?", "[a]'s [toy] is [colour]."},
				{"What does [a] have?", "[a] has a [colour] [toy]."},
				{"Who has {the|a} [colour] [toy]?", "[a] has the [colour] [toy]."},
				{"Who has the [toy]?", "[a] has the [toy]."}}
		},
		func() (string, []exchange) {
			return "[a] lives [home].", []exchange{{"Where does [a] live?", "[a] lives [home]."}, {"Who lives [home]?", "[a] lives [home]."}}
		},
		func() (string, []exchange) {
			return "[a] {likes|loves} to [work].", []exchange{{"What does [a] {like|love} to do?", "[a] likes to [work]."}, {"Who likes to [work]?", "[a] likes to [work]."}}
		},
		func() (string, []exchange) {
			return "[a] {went|is going|has gone} to the [place].", []exchange{{"Where is [a]?", "[a] is at the [place]."}, {"Who is at the [place]?", "[a] is at the [place]."}}
		},
		func() (string, []exchange) {
			age := numbers[3+s.r.IntN(8)]
			return "[a] is " + age + " years old.", []exchange{{"How old is [a]?", "[a] is " + age + " years old."}}
		},
		func() (string, []exchange) {
			pet := s.expand("{cat|dog|rabbit|horse|bird|mouse|pony|hamster|turtle|goat}")
			return "[a] has a " + pet + " {named|called} [petname].", []exchange{
				{"What is the name of [a]'s " + pet + "?", "[a]'s " + pet + " is called [petname]."},
				{"Who is [petname]?", "[petname] is [a]'s " + pet + "."},
				{"Which pet does [a] have?", "[a] has a " + pet + "."}}
		},
		func() (string, []exchange) {
			return "[a] eats [food] {every day|for lunch|in the morning}.", []exchange{{"What does [a] eat?", "[a] eats [food]."}, {"Who eats [food]?", "[a] eats [food]."}}
		},
	}
	s.r.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	for k := range 1 + s.r.IntN(3) {
		t, ask := facts[k]()
		if k > 0 && s.chance(50) {
			t = strings.Replace(t, "[a]", "[^a.he]", 1)
		}
		told = append(told, v(t))
		e := one(s, ask...)
		asked = append(asked, exchange{v(e.q), v(e.a)})
	}
	return told, asked
}

// acquaintance is a conversation in which the user tells something about
// himself that is asked for later, among n other exchanges.
func (s *scene) acquaintance(n int) []Turn {
	facts := []struct{ say, reply, ask, answer string }{
		{"{My name is|I am|I'm|Hello, my name is|Hi, I am|Hi, my name is|Call me|Hello! I'm} [own]{.|!|}", "{Hello|Hi}, [own]! {It is nice to meet you.|How are you?|What can I do for you?|What shall we talk about?}", "{What is my name|Do you know my name|What's my name|Who am I|Do you remember my name}?", "Your name is [own]."},
		{"My {favourite|favorite} colour is [colour].", "{[^colour] is a nice colour.|I like [colour], too.}", "{What is my favourite colour|Which colour do I like best|What's my favorite color}?", "Your favourite colour is [colour]."},
		{"I have a {dog|cat|rabbit|bird|hamster|horse} {named|called} [pet].", "[pet] is a {nice|good} name.", "{What is my pet called|What is the name of my pet|What is my pet's name}?", "Your pet is called [pet]."},
		{"My {best friend|friend} is {called|named} [other].", "[other] is a {nice|good} name.", "{What is the name of my friend|Who is my friend|What is my friend called}?", "Your friend is called [other]."},
		{"I live in [country.capital].", "{I have heard of|I know} [country.capital]. It is in [country].", "Where do I live?", "You live in [country.capital]."},
		{"I am [age] years old.", "{That is a good age.|So you are [age].}", "{How old am I|What is my age}?", "You are [age] years old."},
		{"I {like|love} to [work].", "{That sounds nice|How nice|That is fun}.", "What do I like to do?", "You like to [work]."},
		{"I {have|found} a [colour2] [toy].", "A [colour2] [toy]? {That is nice.|How nice!}", "What {do I have|did I tell you about}?", "You have a [colour2] [toy]."},
	}
	own := map[string]string{"own": s.childName(one(s, "girl", "boy")), "pet": s.petName(), "other": s.childName(one(s, "girl", "boy")), "age": numbers[4+s.r.IntN(6)]}
	if s.chance(30) {
		own["age"] = fmt.Sprint(6 + s.r.IntN(60))
	}
	f := facts[s.r.IntN(len(facts))]
	if s.chance(50) {
		f = facts[0]
	}
	s.clear()
	for k, x := range own {
		s.values[k] = x
	}
	turns := []Turn{user(s.say(f.say)), assistant(s.say(f.reply))}
	last := []Turn{user(s.say(f.ask)), assistant(s.say(f.answer))}
	for range s.r.IntN(n) {
		e := s.exchange()
		if e[0].Role == "system" {
			break
		}
		turns = append(turns, e...)
	}
	return append(turns, last...)
}

// facts is a conversation about what is known, what is told, and what is not known.
func (s *scene) facts() (turns []Turn) {
	for range 1 + s.r.IntN(3) {
		group := one(s, "facts", "facts", "facts", "places", "unable", "unable", "animals", "")
		if group == "" {
			s.clear()
			turns = append(turns, s.passage()...)
			continue
		}
		turns = append(turns, s.line(groups[group])...)
	}
	return turns
}
