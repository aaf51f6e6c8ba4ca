package open_test

import (
	"fmt"

	"example.com/minillm/examples/internal/open"
)

// Without a file there is still a model to run an example on.
func Example() {
	m, t, err := open.Random("")
	open.Check(err)
	defer m.Close()
	ids := t.Encode(nil, "abc")
	fmt.Println(ids, string(t.Decode(nil, ids...)), m.VocabSize() >= t.Size())
	// Output: [97 98 99] abc true
}
