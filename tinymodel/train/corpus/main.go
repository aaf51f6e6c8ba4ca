// Command corpus writes what the model is trained on: a vocabulary, learned from the first documents, and the ids of many
// documents in a form that train.py reads.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"example.com/minillm/tinymodel/train/text"
	"example.com/minillm/tokenizer"
)

var (
	out     = flag.String("out", "", "folder to write to")
	docs    = flag.Int("docs", 140000, "documents to learn from")
	late    = flag.Int("late", 40000, "documents to end with")
	heldOut = flag.Int("heldout", 2000, "documents to measure with")
	size    = flag.Int("vocab", 2048, "ids in the vocabulary")
	sample  = flag.Int("sample", 20000, "documents that the vocabulary is learned from")
	show    = flag.Int("show", 0, "only print so many documents")
)

func main() {
	flag.Parse()
	if *show > 0 {
		print(*show)
		return
	}
	if err := write(); err != nil {
		log.Fatal(err)
	}
}

func print(n int) {
	for i := range n {
		d := text.New(text.TrainSeed, uint64(i))
		fmt.Printf("--- %d %s\n", i, d.Kind)
		for _, t := range d.Turns {
			fmt.Printf("[%s] %s\n", t.Role, t.Text)
		}
	}
}

func write() error {
	if err := os.MkdirAll(*out, 0o777); err != nil {
		return err
	}
	vocabulary, err := learn()
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(*out, "vocab.gguf"))
	if err != nil {
		return err
	}
	if err := vocabulary.Save(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := encode(vocabulary, "train.bin", *docs, func(n uint64) text.Doc { return text.New(text.TrainSeed, n) }); err != nil {
		return err
	}
	if err := encode(vocabulary, "late.bin", *late, func(n uint64) text.Doc { return text.NewLate(text.LateSeed, n) }); err != nil {
		return err
	}
	return encode(vocabulary, "heldout.bin", *heldOut, func(n uint64) text.Doc { return text.New(text.HeldOutSeed, n) })
}

// learn makes the vocabulary. Digits are tokens of their own with "smollm", which sums are easier with.
func learn() (*tokenizer.BPE, error) {
	var texts []string
	for i := range *sample {
		for _, t := range text.New(text.TrainSeed, uint64(i)).Turns {
			texts = append(texts, t.Text, t.Role+"\n")
		}
	}
	return tokenizer.Train(tokenizer.TrainOptions{Size: *size, Special: text.Special, Pre: "smollm"}, texts...)
}

// encode writes documents as little-endian uint16: the number of ids, then the ids, the highest bit of which
// says that the id is to be predicted.
func encode(v *tokenizer.BPE, name string, n int, doc func(n uint64) text.Doc) error {
	f, err := os.Create(filepath.Join(*out, name))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	const share = 1000
	tokens := 0
	for from := 0; from < n; from += share {
		rows := make([][]byte, min(share, n-from))
		var wait sync.WaitGroup
		next := make(chan int, len(rows))
		for i := range rows {
			next <- i
		}
		close(next)
		for range runtime.GOMAXPROCS(0) {
			wait.Go(func() {
				for i := range next {
					rows[i] = row(doc(uint64(from + i)).Encode(v))
				}
			})
		}
		wait.Wait()
		for _, r := range rows {
			tokens += len(r)/2 - 1
			if _, err := w.Write(r); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%s: %d documents, %d ids\n", name, n, tokens)
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func row(ids []int32, target []bool) []byte {
	b := binary.LittleEndian.AppendUint16(nil, uint16(len(ids)))
	for i, id := range ids {
		x := uint16(id)
		if target[i] {
			x |= 1 << 15
		}
		b = binary.LittleEndian.AppendUint16(b, x)
	}
	return b
}
