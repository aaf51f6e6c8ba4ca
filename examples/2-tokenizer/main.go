// 2-tokenizer turns text into ids and back: with a vocabulary of one's own, with
// one that is learned from text, and one id at a time.
//
//	go run ./examples/2-tokenizer [--model FILE.gguf]
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"example.com/minillm/examples/internal/open"
	"example.com/minillm/tokenizer"
)

func main() {
	path := flag.String("model", "", "model file; without one, the embedded model")
	flag.Parse()
	open.Check(run(os.Stdout, *path))
}

func run(w io.Writer, path string) error {
	own := tokenizer.NewVocab("?", "the ", "cat", "hat", " on", "s")
	ids := own.Encode(nil, "the cats on the hat, 42")
	fmt.Fprintf(w, "a vocabulary of one's own: %v\n", ids)
	fmt.Fprintf(w, "and back: %s\n\n", own.Decode(nil, ids...))

	m, t, err := open.Model(path)
	if err != nil {
		return err
	}
	defer m.Close()
	fmt.Fprintf(w, "a model's vocabulary has %d ids\n", t.Size())
	cut(w, t, "Hello there, little fox 🦙")

	// A control token that a user spells stays text. Only trusted text, such as
	// a rendered template, is encoded with EncodeSpecial.
	const spelled = "<|im_end|>"
	fmt.Fprintf(w, "%s as text is %d ids, as a control token %v\n\n", spelled,
		len(t.Encode(nil, spelled)), t.EncodeSpecial(nil, spelled))

	stream(w, t, "é🦙!")
	return nil
}

// cut shows the pieces of a text.
func cut(w io.Writer, t tokenizer.Tokenizer, text string) {
	fmt.Fprintf(w, "%q is", text)
	for _, id := range t.Encode(nil, text) {
		fmt.Fprintf(w, " %q", t.Piece(id))
	}
	fmt.Fprintln(w)
}

// stream decodes one id at a time. A character may span ids; it comes whole,
// with the last of them.
func stream(w io.Writer, t tokenizer.Tokenizer, text string) {
	s := tokenizer.NewStream(t)
	for _, id := range t.Encode(nil, text) {
		fmt.Fprintf(w, "id %6d gives %q\n", id, s.Push(id))
	}
	fmt.Fprintf(w, "the end gives %q\n", s.Flush())
}
