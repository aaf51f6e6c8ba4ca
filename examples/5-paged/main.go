// 5-paged adds blocks: sequences take memory as they grow, share what they have
// in common, and leave it findable when they end. It draws the block tables.
//
//	go run ./examples/5-paged [--model FILE.gguf]
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"example.com/minillm/examples/internal/open"
	"example.com/minillm/paged"
	"example.com/minillm/sampling"
	"example.com/minillm/transformer"
)

func main() {
	path := flag.String("model", "", "model file; without one, a tiny model of random weights")
	flag.Parse()
	run(os.Stdout, *path)
}

const rules = "You are a cat. You answer every question with one short line of verse, you never lie, and you sleep " +
	"whenever nobody asks. You know all about mice, birds, fish, milk, warm places and the moon, and nothing else at all. "

func run(w io.Writer, path string) {
	m, t, err := open.Random(path)
	open.Check(err)
	defer m.Close()
	cache, err := paged.New(m.Shape(), paged.Options{Positions: 16 * 16, Block: 16})
	open.Check(err)
	d := &demo{w: w, model: m, cache: cache, logits: make([]float32, m.VocabSize())}
	ask := func(question string) []int32 { return t.Encode(t.Encode(nil, rules)[:40:40], question) }
	a := d.start("a", ask("Why do you sleep so much?"))
	d.draw("a has computed its prompt and takes whole blocks for it")
	b := d.start("b", ask("Where is the mouse?"))
	d.draw("b begins like a: it shares the full blocks of that and computes the rest")
	d.generate(a, 20)
	d.generate(b, 6)
	d.draw("both have grown; blocks that are full are published and never written again")
	d.end(a)
	d.draw("a has ended: what b shares stays, the rest is free but can still be found")
	c := d.start("c", ask("Why do you sleep so much at night?"))
	d.draw("c finds all that a and it have in common, as far as whole blocks go")
	d.end(b)
	d.end(c)
	d.draw("nobody is left, and nothing is forgotten until its block is needed")
}

// demo computes sequences by hand: what package batch does.
type demo struct {
	w      io.Writer
	model  *transformer.Model
	cache  *paged.Cache
	logits []float32
	live   []*sequence
}

type sequence struct {
	name     string
	tokens   []int32
	computed int // tokens that have keys and values
	table    *paged.Table
}

// start opens memory for a prompt; what the cache knows of it is not computed again.
func (d *demo) start(name string, prompt []int32) *sequence {
	region, found, _ := d.cache.Open(prompt, "") // never fails
	s := &sequence{name: name, tokens: prompt, computed: found, table: region.(*paged.Table)}
	d.live = append(d.live, s)
	d.generate(s, 1)
	fmt.Fprintf(d.w, "%s: %d tokens, %d found\n", name, len(prompt), found)
	return s
}

// generate appends the likeliest next token n times.
func (d *demo) generate(s *sequence, n int) {
	for range n {
		open.Check(s.table.Grow(len(s.tokens)))
		c := transformer.Chunk{Tokens: s.tokens[s.computed:], Pos: s.computed, KV: s.table, Logits: d.logits}
		open.Check(d.model.Forward([]transformer.Chunk{c}))
		s.computed = len(s.tokens)
		s.table.Publish(s.tokens)
		next, err := sampling.Argmax(d.logits)
		open.Check(err)
		s.tokens = append(s.tokens, next)
	}
}

// end gives the blocks back.
func (d *demo) end(s *sequence) {
	s.table.Close()
	d.live = slices.DeleteFunc(d.live, func(x *sequence) bool { return x == s })
}

// draw shows who has which block; one that several have is a #.
func (d *demo) draw(what string) {
	owners := strings.Split(strings.Repeat(".", d.cache.Stats().Blocks), "")
	for _, s := range d.live {
		for _, id := range s.table.Blocks() {
			if owners[id] == "." {
				owners[id] = s.name
			} else {
				owners[id] = "#"
			}
		}
	}
	fmt.Fprintf(d.w, "%s\n    memory   %s\n", what, strings.Join(owners, " "))
	for _, s := range d.live {
		last := len(s.tokens) - 2 // nothing is computed yet of the newest one
		fmt.Fprintf(d.w, "    table %s  %v, position %d in slot %d\n", s.name, s.table.Blocks(), last, s.table.Slot(last))
	}
	st := d.cache.Stats()
	fmt.Fprintf(d.w, "    %d blocks used, %d of them shared; %d free, %d of them with a prefix\n\n", st.Used, st.Shared, st.Free, st.Cached)
}
