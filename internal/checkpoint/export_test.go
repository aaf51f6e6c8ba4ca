package checkpoint

import "example.com/minillm/internal/gguf"

// Config is GGUF's words for a config.json.
func Config(data []byte) ([]gguf.KV, error) {
	o := object{file: &source{path: configName}}
	o.decode(data, "", &o.fields)
	c, err := newConfig(o)
	if err != nil {
		return nil, err
	}
	kv := c.metadata()
	c.ropeFactors()
	return kv, c.err()
}

// Vocabulary is GGUF's words for a tokenizer.json, for tests of vocabularies without a model.
func Vocabulary(data []byte, size int) ([]gguf.KV, error) {
	o := object{file: &source{path: tokenizerName}}
	o.decode(data, "", &o.fields)
	v := newVocabulary(o, size)
	return v.metadata(), o.err()
}
