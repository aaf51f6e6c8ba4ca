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
	// a model's vocabulary has 267 ids
	// "Hello 世界 🦙" is "H" "e" "l" "l" "o" " " "\xe4" "\xb8" "\x96" "\xe7" "\x95" "\x8c" " " "\xf0" "\x9f" "\xa6" "\x99"
	// <|im_end|> as text is 10 ids, as a control token [258]
	//
	// id    195 gives ""
	// id    169 gives "é"
	// id    240 gives ""
	// id    159 gives ""
	// id    166 gives ""
	// id    153 gives "🦙"
	// id     33 gives "!"
	// the end gives ""
}
