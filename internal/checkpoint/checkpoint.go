// Package checkpoint opens models in whatever form they are published: a GGUF file, or a folder of Hugging Face's, which
// it presents as the GGUF file that would be made of it.
//
// Such a folder has config.json (the network's numbers), model.safetensors or the pieces that
// model.safetensors.index.json lists (weights), tokenizer.json (the vocabulary), and mostly generation_config.json (ids
// that end a generation), tokenizer_config.json and chat_template.jinja (how to chat). What is above sees GGUF's keys and
// names only, and weights stay where they are: they are views of the mapped files, but for vectors that the two forms
// have as different numbers. One key is this package's own: llama.rope.halves says that the rows of q and k are in the
// checkpoint's order, which loading them changes to that of GGUF.
//
// Files come from strangers: what is not known to be computed or cut as its makers do is refused by name. Every way in
// which a file can be wrong is a *gguf.FormatError that names the file and the field. Reading takes memory in proportion
// to tokenizer.json.
//
// Sources: transformers (configuration and modeling files of the models), tokenizers (the format of tokenizer.json) and
// llama.cpp (the names, and what its converter makes of what).
package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/safetensors"
)

// The files of a folder.
const (
	configName     = "config.json"
	generationName = "generation_config.json"
	tokenizerName  = "tokenizer.json"
	settingsName   = "tokenizer_config.json"
	weightsName    = "model.safetensors"
	indexName      = weightsName + ".index.json"
)

// Open opens the model at path: a GGUF file, the folder of a checkpoint, or one of its files that stand for it:
// model.safetensors, its index and config.json. Errors are *gguf.FormatError, or the system's, which name the path too.
func Open(path string) (*gguf.File, error) {
	dir, ok := Folder(path)
	if !ok {
		return gguf.Open(path)
	}
	return openFolder(dir)
}

// Folder is the folder that path names, itself or by one of the files that stand for it; not ok for other files, and for
// what is not there.
func Folder(path string) (dir string, ok bool) {
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	switch name := filepath.Base(path); {
	case info.IsDir():
		return path, true
	case name == weightsName || name == indexName || name == configName:
		return filepath.Dir(path), true
	}
	return "", false
}

func openFolder(dir string) (*gguf.File, error) {
	c, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	w, err := openWeights(dir)
	if err != nil {
		return nil, err
	}
	f, err := present(dir, c, w)
	if err != nil {
		w.Close()
	}
	return f, err
}

// present makes GGUF's words of all files. The vocabulary comes last: it is as large as the weights show that it may be.
func present(dir string, c *config, w *weights) (*gguf.File, error) {
	kv := append(c.metadata(), c.name(dir))
	tensors, err := c.tensors(w)
	if err != nil {
		return nil, err
	}
	vocabulary, err := readVocabulary(dir, c)
	if err != nil {
		return nil, err
	}
	return gguf.New(dir, append(kv, vocabulary...), tensors, w)
}

// openWeights maps the weights. Of one file and of an index the file is taken, as by transformers.
func openWeights(dir string) (w *weights, err error) {
	w = &weights{path: filepath.Join(dir, weightsName)}
	w.File, err = safetensors.Open(w.path)
	if errors.Is(err, fs.ErrNotExist) {
		w.path = filepath.Join(dir, indexName)
		w.File, err = safetensors.OpenIndex(w.path)
	}
	switch wrong, ok := errors.AsType[*safetensors.FormatError](err); {
	case ok:
		return nil, &gguf.FormatError{Kind: "safetensors", Path: wrong.Path, Where: wrong.Where, What: wrong.What}
	case errors.Is(err, fs.ErrNotExist) && !exists(w.path):
		return nil, &gguf.FormatError{Kind: kind, Path: dir, What: fmt.Sprintf("there is neither %s nor %s", weightsName, indexName)}
	}
	return w, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
