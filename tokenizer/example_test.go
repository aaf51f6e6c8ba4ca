package tokenizer_test

import (
	"bytes"
	"fmt"
	"log"

	"example.com/minillm/tokenizer"
)

// A vocabulary in three lines: what is not in it becomes id 0.
func Example() {
	v := tokenizer.NewVocab("<unk>", "the ", "cat ", "sat", "s", "a", "t")
	ids := v.Encode(nil, "the cat sat!")
	fmt.Println(ids, string(v.Decode(nil, ids...)))
	// Output: [1 2 3 0] the cat sat�
}

func ExampleNewCharVocab() {
	v := tokenizer.NewCharVocab("hello")
	fmt.Println(v.Size(), v.Encode(nil, "hole"))
	// Output: 5 [2 4 3 1]
}

func ExampleVocab_Save() {
	var file bytes.Buffer
	if err := tokenizer.NewVocab("?", "yes", "no").Save(&file); err != nil {
		log.Fatal(err)
	}
	fmt.Print(file.String())
	v, err := tokenizer.LoadVocab(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Encode(nil, "noyes"))
	// Output:
	// minillm vocab 1
	// "?"
	// "yes"
	// "no"
	// [2 1]
}

// words are those that the paper on byte-pair encoding has as its example.
const words = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"

// "lowest" is not among the words, but its parts are.
func ExampleTrain() {
	t, err := tokenizer.Train(tokenizer.TrainOptions{Size: 266}, words)
	if err != nil {
		log.Fatal(err)
	}
	for _, id := range t.Encode(nil, "lower lowest") {
		fmt.Printf("%q ", t.Piece(id))
	}
	// Output: "low" "e" "r" " low" "est"
}

// What a user writes is data, even if it spells a control token.
func ExampleEncodeMixed() {
	t, err := tokenizer.Train(tokenizer.TrainOptions{Size: 266, Special: []string{"<end>"}}, words)
	if err != nil {
		log.Fatal(err)
	}
	text := "low<end>" + "new<end>"
	for _, id := range tokenizer.EncodeMixed(t, nil, text, tokenizer.Span{Start: 8, End: len(text)}) {
		fmt.Printf("%q ", t.Piece(id))
	}
	// Output: "low" "<end>" "new" "<" "e" "n" "d" ">"
}

// A character whose bytes are spread over several ids comes when it is whole.
func ExampleStream() {
	t, err := tokenizer.Train(tokenizer.TrainOptions{Size: 266}, words)
	if err != nil {
		log.Fatal(err)
	}
	s := tokenizer.NewStream(t)
	for _, id := range t.Encode(nil, "low é 🙂") {
		fmt.Printf("%q ", s.Push(id))
	}
	fmt.Printf("%q", s.Flush())
	// Output: "low" " " "" "é" " " "" "" "" "🙂" ""
}

// A tokenizer is saved as a model file without a model.
func ExampleLoadBytes() {
	trained, err := tokenizer.Train(tokenizer.TrainOptions{Size: 270, Special: []string{"<|im_end|>"}}, words)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := trained.Save(&file); err != nil {
		log.Fatal(err)
	}
	t, err := tokenizer.LoadBytes(file.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Size(), t.Stops(), string(t.Decode(nil, t.Encode(nil, "any text, 世界")...)))
	// Output: 270 [0] any text, 世界
}
