package text

import "strings"

// user and assistant make turns.
func user(text string) Turn      { return Turn{"user", text} }
func assistant(text string) Turn { return Turn{"assistant", text} }

// tell is a conversation in which a story is asked for.
func (s *scene) tell() []Turn {
	t := s.story()
	turns := []Turn{user(s.request(t)), assistant(t.text)}
	for s.chance(45) && len(t.asked) > 0 {
		turns = append(turns, user(t.asked[0].q), assistant(t.asked[0].a))
		t.asked = t.asked[1:]
	}
	switch s.r.IntN(8) {
	case 0:
		ask := s.say("{Tell me another one|Another one, please|Another story, please|One more|Tell me another story}{.|!|}")
		turns = append(turns, user(ask), assistant(s.story().text))
	case 1:
		t = s.story()
		ask := s.say("{Now tell me|Tell me|And now} {one|a story} about " + s.subject(t) + "{.|}")
		turns = append(turns, user(ask), assistant(t.text))
	case 2:
		return append(turns, s.line(groups["thanks"])...)
	}
	return turns
}

// request asks for a story.
func (s *scene) request(t *story) string {
	ask := s.expand("{Tell me|Tell me|Write|Write me|Can you tell me|Please tell me|I want|Make up|Tell|Can you write|Please write|I would like to hear}" +
		" {a|a|a|a short|a little|a nice|a bedtime} {story|story|story|fairy tale|tale}")
	end := "."
	if strings.HasPrefix(ask, "Can") {
		end = "?"
	}
	end = one(s, end, end, end, "", "!")
	switch s.r.IntN(10) {
	case 0:
		return polish(ask + end)
	case 1, 2:
		return polish(ask + " about " + t.title + end)
	case 3:
		return polish(one(s, "A story about ", "story about ", "Story: ", "Once again a story about ") + s.subject(t) + end)
	}
	return polish(ask + " about " + s.subject(t) + end)
}

// subject is the hero in few words.
func (s *scene) subject(t *story) string {
	h := t.hero
	switch n := s.r.IntN(10); {
	case h.name == "" && n < 7:
		return "a " + h.kind
	case h.name == "":
		return "a " + h.size + " " + h.kind
	case n < 4:
		return "a " + h.kind
	case n < 6:
		return "a " + h.kind + one(s, " named ", " called ") + h.name
	case n < 8:
		return h.described(s)
	case n < 9 && t.friend.name != "":
		return h.name + " and " + t.friend.name
	}
	return h.name
}

// goOn is a conversation in which the beginning of a story is given. The
// answer begins where the last whole sentence of that ends.
func (s *scene) goOn() []Turn {
	t := s.story()
	end := s.cut(t.text)
	begin := strings.LastIndexAny(t.text[:end], ".!?\n") + 1
	if begin > 0 && strings.HasPrefix(t.text[begin:], `"`) {
		begin++
	}
	given := strings.TrimSpace(t.text[:end])
	if begin < end && strings.TrimSpace(t.text[begin:end]) != "" {
		given += one(s, "", "", "", " ...", "...")
	}
	ask := one(s, "", "", "", "", "Continue the story: ", "Please continue: ", "Go on with this story: ", "Continue: ",
		"Finish the story: ", "How does this story go on? ", "Complete this: ")
	return []Turn{user(ask + given), assistant(strings.TrimSpace(t.text[begin:]))}
}

// cut is a place in the beginning of a text, behind a word.
func (s *scene) cut(text string) int {
	if comma := strings.Index(text, ","); comma > 0 && comma < 20 && s.chance(35) {
		return comma + s.r.IntN(2)
	}
	stop := 0
	for range 1 + s.r.IntN(4) {
		if next := strings.IndexAny(text[stop:], ".!?"); next >= 0 && stop+next+40 < len(text) {
			stop += next + 1
		}
	}
	if s.chance(50) {
		return stop
	}
	if space := strings.LastIndex(text[:s.r.IntN(stop)+1], " "); space > 0 {
		return space
	}
	return stop
}
