package main

import "os"

func Example() {
	run(os.Stdout, "")
	// Output:
	// a: 65 tokens, 0 found
	// a has computed its prompt and takes whole blocks for it
	//     memory   a a a a a . . . . . . . . . . .
	//     table a  [0 1 2 3 4], position 64 in slot 64
	//     5 blocks used, 0 of them shared; 11 free, 0 of them with a prefix
	//
	// b: 55 tokens, 32 found
	// b begins like a: it shares the full blocks of that and computes the rest
	//     memory   # # a a a b b . . . . . . . . .
	//     table a  [0 1 2 3 4], position 64 in slot 64
	//     table b  [0 1 5 6], position 54 in slot 102
	//     7 blocks used, 2 of them shared; 9 free, 0 of them with a prefix
	//
	// both have grown; blocks that are full are published and never written again
	//     memory   # # a a a b b a . . . . . . . .
	//     table a  [0 1 2 3 4 7], position 84 in slot 116
	//     table b  [0 1 5 6], position 60 in slot 108
	//     8 blocks used, 2 of them shared; 8 free, 0 of them with a prefix
	//
	// a has ended: what b shares stays, the rest is free but can still be found
	//     memory   b b . . . b b . . . . . . . . .
	//     table b  [0 1 5 6], position 60 in slot 108
	//     4 blocks used, 0 of them shared; 12 free, 3 of them with a prefix
	//
	// c: 73 tokens, 64 found
	// c finds all that a and it have in common, as far as whole blocks go
	//     memory   # # c c . b b . c . . . . . . .
	//     table b  [0 1 5 6], position 60 in slot 108
	//     table c  [0 1 2 3 8], position 72 in slot 136
	//     7 blocks used, 2 of them shared; 9 free, 1 of them with a prefix
	//
	// nobody is left, and nothing is forgotten until its block is needed
	//     memory   . . . . . . . . . . . . . . . .
	//     0 blocks used, 0 of them shared; 16 free, 6 of them with a prefix
}
