// Command tinymodel writes a small random model as a GGUF file, for clients to
// be tested with.
package main

import (
	"fmt"
	"os"

	"example.com/minillm/internal/tiny"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tinymodel FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], tiny.GGUF(tiny.Config{Layers: 1, Context: 2048}), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
