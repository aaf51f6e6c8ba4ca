package tinymodel

import _ "embed"

// GGUF is the model file, for minillm.OpenBytes. It must not be changed.
//
//go:embed tiny.gguf
var GGUF []byte
