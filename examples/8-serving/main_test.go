package main

import "os"

func Example() {
	if err := run(os.Stdout, ""); err != nil {
		panic(err)
	}
	// Output:
	// client 0: 16 tokens, ended by length
	// client 1: 16 tokens, ended by length
	// client 2: 16 tokens, ended by length
	// client 3: left early
	// fewer steps than tokens: true
}
