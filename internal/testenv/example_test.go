package testenv_test

import (
	"fmt"
	"testing"

	"example.com/minillm/internal/testenv"
	"example.com/minillm/tokenizer"
)

// A test that needs a real model asks for it by name, and is skipped with a
// message where there is none.
func Example() {
	test := func(t *testing.T) {
		tok, err := tokenizer.Load(testenv.Model(t, "smollm2"))
		if err != nil || tok.Size() != 49152 {
			t.Errorf("%v, %d tokens", err, tok.Size())
		}
	}
	fmt.Printf("%T\n", test)
	// Output: func(*testing.T)
}
