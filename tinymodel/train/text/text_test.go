package text

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/minillm/tokenizer"
)

func TestSameNumberSameDocument(t *testing.T) {
	for n := range uint64(50) {
		if a, b := New(TrainSeed, n), New(TrainSeed, n); !reflect.DeepEqual(a, b) {
			t.Fatalf("document %d is %v and %v", n, a, b)
		}
		if a, b := NewLate(LateSeed, n), NewLate(LateSeed, n); !reflect.DeepEqual(a, b) {
			t.Fatalf("late document %d is %v and %v", n, a, b)
		}
		if reflect.DeepEqual(New(TrainSeed, n), New(HeldOutSeed, n)) && len(New(TrainSeed, n).Turns) > 4 {
			t.Errorf("document %d is held out and learned from", n)
		}
	}
}

// TestEveryTemplate draws each line of the files often enough for their alternatives.
func TestEveryTemplate(t *testing.T) {
	s := newScene(rand.New(rand.NewPCG(1, 1)))
	for name, lines := range groups {
		for _, line := range lines {
			for range 12 {
				turns := s.line([]string{line})
				check(t, name, turns)
				if first := turns[0].Role; first != "user" && first != "system" {
					t.Errorf("%s: begins with %s", line, first)
				}
			}
		}
	}
	for _, m := range made {
		for range 60 {
			s.clear()
			check(t, "made", m.turns(s))
		}
	}
	for range 600 {
		check(t, "story", []Turn{{"assistant", s.story().text}})
	}
}

// check finds what a grammar leaves when something in it is wrong.
func check(t *testing.T, name string, turns []Turn) {
	t.Helper()
	for _, turn := range turns {
		if turn.Text == "" || strings.ContainsAny(turn.Text, "[]{}|\\") || strings.Contains(turn.Text, "  ") {
			t.Errorf("%s: %q", name, turn.Text)
		}
	}
	if last := turns[len(turns)-1]; last.Role != "assistant" {
		t.Errorf("%s: ends with %s", name, last.Role)
	}
}

func TestPolish(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a owl met a fox", "An owl met a fox"},
		{"an unicorn and an house", "A unicorn and a house"},
		{`who is there?" asked the fox. the owl slept.`, `Who is there?" asked the fox. The owl slept.`},
		{`it was late. "go home," she said, "and sleep."`, `It was late. "Go home," she said, "and sleep."`},
		{"two  spaces", "Two spaces"},
	} {
		if got := polish(c.in); got != c.want {
			t.Errorf("%q is %q, not %q", c.in, got, c.want)
		}
	}
}

func TestSumsAreRight(t *testing.T) {
	s := newScene(rand.New(rand.NewPCG(1, 2)))
	for _, c := range []struct {
		a, b, result int
		sign, word   string
	}{{2, 3, 5, "+", "plus"}, {9, 4, 5, "-", "minus"}} {
		turns := s.calculation(c.a, c.b, c.result, c.sign, c.word)
		if !strings.HasSuffix(turns[1].Text, "is 5.") {
			t.Errorf("%q is answered by %q", turns[0].Text, turns[1].Text)
		}
	}
}

// TestQuestionsAreAnsweredByTheirStory sees that an answer says what the story says.
func TestQuestionsAreAnsweredByTheirStory(t *testing.T) {
	s := newScene(rand.New(rand.NewPCG(1, 3)))
	asked := 0
	for range 500 {
		story := s.story()
		for _, e := range story.asked {
			where, ok := strings.CutPrefix(e.a, capital(story.hero.he)+" lived ")
			if !ok {
				continue
			}
			asked++
			if !strings.Contains(strings.ToLower(story.text), strings.ToLower(strings.TrimSuffix(where, "."))) {
				t.Errorf("%q is answered by %q in %q", e.q, e.a, story.text)
			}
		}
	}
	if asked < 100 {
		t.Errorf("only %d questions", asked)
	}
}

func TestEncodeMarksWhatIsToBePredicted(t *testing.T) {
	tok, err := tokenizer.Train(tokenizer.TrainOptions{Size: 300, Special: Special, Pre: "smollm"}, "user\nassistant\nHello there! Hello there!")
	if err != nil {
		t.Fatal(err)
	}
	ids, target := Doc{"talk", []Turn{{"user", "Hello!"}, {"assistant", "there"}}}.Encode(tok)
	var wanted []int32
	for i, id := range ids {
		if target[i] {
			wanted = append(wanted, id)
		}
	}
	if want := append(tok.Encode(nil, "there"), EndTurn); !slices.Equal(wanted, want) {
		t.Errorf("to be predicted are %v, not %v", wanted, want)
	}
	if got := string(tok.Decode(nil, ids...)); got != "user\nHello!\nassistant\nthere" {
		t.Errorf("the conversation is %q", got)
	}
}

func BenchmarkNew(b *testing.B) {
	n, bytes := uint64(0), 0
	for b.Loop() {
		for _, t := range New(TrainSeed, n).Turns {
			bytes += len(t.Text)
		}
		n++
	}
	b.SetBytes(int64(bytes) / int64(b.N))
}
