package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"example.com/minillm"
	"example.com/minillm/sampling"
	"example.com/minillm/tinymodel/train/text"
)

// model is asked one thing at a time, in conversations of one question.
type model struct{ *minillm.Model }

func (m model) ask(question string, r minillm.Request) string {
	reply, err := m.Chat(context.Background(), []minillm.Message{{Role: "user", Content: question}}, r)
	if err != nil {
		log.Fatal(err)
	}
	return reply.Text
}

// sums asks for all sums and differences of numbers up to 20, and products up to 10.
func (m model) sums() {
	for _, op := range []struct {
		sign string
		most int
		of   func(a, b int) int
	}{
		{"+", 9, func(a, b int) int { return a + b }},
		{"+", 20, func(a, b int) int { return a + b }},
		{"-", 20, func(a, b int) int { return a - b }},
		{"x", 10, func(a, b int) int { return a * b }},
	} {
		right, n := 0, 0
		for a := range op.most + 1 {
			for b := range op.most + 1 {
				if op.of(a, b) < 0 {
					continue
				}
				n++
				if strings.HasSuffix(m.ask(fmt.Sprintf("What is %d%s%d?", a, op.sign, b), minillm.Request{MaxTokens: 20}), fmt.Sprintf(" is %d.", op.of(a, b))) {
					right++
				}
			}
		}
		fmt.Printf("a %s b up to %d: %d of %d right\n", op.sign, op.most, right, n)
	}
}

// passages asks the first question about held-out passages.
func (m model) passages(n int) {
	right := 0
	for i := range n {
		turns := text.NewPassage(text.HeldOutSeed, uint64(i)).Turns
		messages := []minillm.Message{}
		for _, t := range turns[:len(turns)-1] {
			messages = append(messages, minillm.Message{Role: t.Role, Content: t.Text})
		}
		reply, err := m.Chat(context.Background(), messages, minillm.Request{MaxTokens: 40})
		if err != nil {
			log.Fatal(err)
		}
		if reply.Text == turns[len(turns)-1].Text {
			right++
		}
	}
	fmt.Printf("questions about passages: %d of %d right\n", right, n)
}

// names asks for stories about somebody, greedily, and sees whether the name comes three times.
func (m model) names(what string, names []string) {
	kept := 0
	for _, name := range names {
		if strings.Count(m.ask("Tell me a story about a fox named "+name+".", minillm.Request{}), name) >= 3 {
			kept++
		}
	}
	fmt.Printf("stories with %s: %d of %d keep them\n", what, kept, len(names))
}

// tell lets the model tell stories, each with a seed of its own.
func (m model) tell(n int, temperature float64) (all []string) {
	for i := range n {
		p := sampling.Params{Temperature: temperature, TopK: 50, Seed: uint64(i)}
		all = append(all, m.ask("Tell me a story.", minillm.Request{MaxTokens: 500, Sampling: p}))
	}
	return all
}
