package checkpoint_test

import (
	"errors"
	"fmt"
	"os"

	"example.com/minillm/internal/checkpoint"
	"example.com/minillm/internal/gguf"
)

// A folder that is no model's is told from one by its error.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	_, err = checkpoint.Open(dir)
	if wrong, ok := errors.AsType[*gguf.FormatError](err); ok {
		fmt.Println(wrong.What)
	}
	// Output: there is no config.json: neither a GGUF file nor the folder of a model
}
