// Package open brings the model that an example runs on: the embedded one, or
// where an example is about time and memory and not about words, a random one,
// which is smaller yet.
package open

import (
	"log"

	"example.com/minillm"
	"example.com/minillm/internal/checkpoint"
	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/tinymodel"
	"example.com/minillm/tokenizer"
	"example.com/minillm/transformer"
)

// Model opens a model file and its tokenizer; without a path, the embedded
// model.
func Model(path string) (*transformer.Model, tokenizer.Tokenizer, error) {
	return model(path, tinymodel.GGUF)
}

// Random opens a model file and its tokenizer; without a path, a model of random
// weights whose tokens are bytes. It talks nonsense, but everything works on it.
func Random(path string) (*transformer.Model, tokenizer.Tokenizer, error) {
	return model(path, tiny.GGUF(tiny.Config{}))
}

// model leaves its file open for as long as the program runs.
func model(path string, otherwise []byte) (*transformer.Model, tokenizer.Tokenizer, error) {
	f, err := gguf.Parse(otherwise)
	if path != "" {
		f, err = checkpoint.Open(path)
	}
	if err != nil {
		return nil, nil, err
	}
	t, err := tokenizer.FromGGUF(f)
	if err != nil {
		return nil, nil, err
	}
	m, err := transformer.New(f, transformer.Options{})
	return m, t, err
}

// FrontDoor opens a model file with its engine; without a path, the embedded
// model.
func FrontDoor(path string) (*minillm.Model, error) {
	if path == "" {
		return minillm.OpenBytes(tinymodel.GGUF, minillm.Options{})
	}
	return minillm.Open(path, minillm.Options{})
}

// Check ends the program with err, if there is one.
func Check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
