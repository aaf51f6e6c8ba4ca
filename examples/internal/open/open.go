// Package open brings the model that an example runs on.
package open

import (
	"log"

	"example.com/minillm/internal/tiny"
	"example.com/minillm/tokenizer"
	"example.com/minillm/transformer"
)

// Model opens a model file and its tokenizer. Without a path it makes a tiny
// model of random weights, whose tokens are bytes: it talks nonsense, but
// everything works on it.
func Model(path string) (*transformer.Model, tokenizer.Tokenizer, error) {
	if path == "" {
		return random()
	}
	t, err := tokenizer.Load(path)
	if err != nil {
		return nil, nil, err
	}
	m, err := transformer.Load(path, transformer.Options{})
	return m, t, err
}

func random() (*transformer.Model, tokenizer.Tokenizer, error) {
	file := tiny.GGUF(tiny.Config{})
	t, err := tokenizer.LoadBytes(file)
	if err != nil {
		return nil, nil, err
	}
	m, err := transformer.LoadBytes(file, transformer.Options{})
	return m, t, err
}

// Check ends the program with err, if there is one.
func Check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
