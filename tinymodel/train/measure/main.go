// Command measure tells how often the model is right, and how much of what it writes is its own: it lets it tell stories
// and compares these with all texts that it has learned from, which are written anew for that.
package main

import (
	"flag"
	"fmt"
	"log"
	"strings"

	"example.com/minillm"
	"example.com/minillm/tinymodel"
	"example.com/minillm/tinymodel/train/text"
)

func main() {
	stories := flag.Int("stories", 200, "stories to tell")
	docs := flag.Int("docs", 140000, "documents that the model has learned from")
	late := flag.Int("late", 40000, "documents that it has ended with")
	temperature := flag.Float64("temperature", 0.8, "of sampling")
	flag.Parse()
	m, err := minillm.OpenBytes(tinymodel.GGUF, minillm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	model := model{m}
	model.sums()
	model.passages(300)
	model.names("names that it knows", strings.Fields("Rusty Pip Lily Tom Mia Ben Coco Luna Max Anna Sunny Honey Leo Ruby Felix Daisy Hazel Oscar Nora Milo"))
	model.names("invented names", strings.Fields("Zorbin Kalimu Frandle Mipsy Quolo Bertrix Danuve Lomari Shandor Trivo Plinka Gorfu Nebbit Wazu Drelin Fosk Umbar Jeppo Clath Yorna"))
	told := model.tell(*stories, *temperature)
	var fresh []string
	for i := uint64(0); len(fresh) < len(told); i++ {
		if d := text.New(text.HeldOutSeed, i); d.Kind == "story" {
			fresh = append(fresh, d.Turns[0].Text)
		}
	}
	known := map[string]bool{}
	learn(known, *docs, func(n uint64) text.Doc { return text.New(text.TrainSeed, n) })
	learn(known, *late, func(n uint64) text.Doc { return text.NewLate(text.LateSeed, n) })
	report("stories of the model", told, known)
	report("held-out stories", fresh, known)
}

// learn adds the sentences, and the whole texts, of documents.
func learn(known map[string]bool, docs int, doc func(n uint64) text.Doc) {
	for i := range docs {
		for _, t := range doc(uint64(i)).Turns {
			known[t.Text] = true
			for _, s := range sentences(t.Text) {
				known[s] = true
			}
		}
	}
}

// report prints shares of sentences that are known, and of runs of words that are distinct.
func report(what string, all []string, known map[string]bool) {
	whole, short, shortKnown, long, longKnown := 0, 0, 0, 0, 0
	for _, story := range all {
		if known[story] {
			whole++
		}
		for _, s := range sentences(story) {
			n, have := &short, &shortKnown
			if len(strings.Fields(s)) >= 8 {
				n, have = &long, &longKnown
			}
			if *n++; known[s] {
				*have++
			}
		}
	}
	fmt.Printf("%s: %d, known as a whole %d; of sentences of eight words or more %.0f %% are known, of shorter ones %.0f %%;"+
		" of runs of 2, 4, 8 words %.0f, %.0f, %.0f %% are distinct\n", what, len(all), whole, percent(longKnown, long),
		percent(shortKnown, short), distinct(all, 2), distinct(all, 4), distinct(all, 8))
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

// distinct is the share of different runs of n words.
func distinct(all []string, n int) float64 {
	seen, total := map[string]bool{}, 0
	for _, s := range all {
		words := strings.Fields(s)
		for i := 0; i+n <= len(words); i++ {
			seen[strings.Join(words[i:i+n], " ")] = true
			total++
		}
	}
	return percent(len(seen), total)
}

// sentences cuts a text behind the marks that end sentences.
func sentences(s string) []string {
	s = strings.NewReplacer(". ", ".\n", "! ", "!\n", "? ", "?\n", `." `, ".\"\n", `!" `, "!\"\n", `?" `, "?\"\n").Replace(s)
	return strings.FieldsFunc(s, func(r rune) bool { return r == '\n' })
}
