package checkpoint

import "example.com/minillm/internal/gguf"

// Vocabulary is GGUF's words for a tokenizer.json, for tests of vocabularies without a model.
func Vocabulary(data []byte, size int) ([]gguf.KV, error) {
	o := object{file: &source{path: tokenizerName}}
	o.decode(data, "", &o.fields)
	v := newVocabulary(o, size)
	return v.metadata(), o.err()
}
