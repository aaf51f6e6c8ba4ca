package main

import "os"

func Example() {
	if err := run(os.Stdout, ""); err != nil {
		panic(err)
	}
	// Output:
	// a vocabulary of one's own: [1 2 5 4 0 1 3 0 0 0 0]
	// and back: the cats on�the hat����
	//
	// a model's vocabulary has 2048 ids
	// "Hello there, little fox 🦙" is "Hello" " there" "," " little" " fox" " " "\xf0" "\x9f" "\xa6" "\x99"
	// <|im_end|> as text is 7 ids, as a control token [2]
	//
	// id    130 gives ""
	// id    105 gives "é"
	// id    175 gives ""
	// id    256 gives ""
	// id    102 gives ""
	// id    250 gives "🦙"
	// id      3 gives "!"
	// the end gives ""
}
