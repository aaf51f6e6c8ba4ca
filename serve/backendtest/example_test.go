package backendtest_test

import (
	"fmt"
	"testing"

	"example.com/minillm"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/serve/backendtest"
)

// A backend of one's own gets a test of this kind: here it is a model in this
// program.
func Example() {
	test := func(t *testing.T) {
		m, err := minillm.OpenBytes(tiny.GGUF(tiny.Config{}), minillm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		backendtest.Run(t, m, backendtest.Options{Context: m.Context()})
	}
	fmt.Printf("%T\n", test)
	// Output: func(*testing.T)
}
