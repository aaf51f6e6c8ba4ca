package text_test

import (
	"fmt"

	"example.com/minillm/tinymodel/train/text"
)

func Example() {
	for _, turn := range text.New(text.TrainSeed, 2).Turns {
		fmt.Printf("%s: %s\n", turn.Role, turn.Text)
	}
	// Output:
	// user: Is the squirrel bigger than the ant?
	// assistant: Yes, a squirrel is bigger than an ant.
}
