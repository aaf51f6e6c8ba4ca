package tokenizer

import (
	"fmt"
	"strings"

	"example.com/minillm/internal/checkpoint"
	"example.com/minillm/internal/gguf"
)

// Load reads the tokenizer of the GGUF file, or of the folder of a Hugging Face
// checkpoint, at path. It is closed again; the tokenizer does not need it.
func Load(path string) (Tokenizer, error) {
	f, err := checkpoint.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	defer f.Close()
	return FromGGUF(f)
}

// LoadBytes reads the tokenizer of a GGUF file that is in memory.
func LoadBytes(data []byte) (Tokenizer, error) {
	f, err := gguf.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	return FromGGUF(f)
}

// FromGGUF reads the tokenizer of a file that is open, which may be closed
// afterwards. Metadata that is missing, of a wrong type or absurd is an error
// that names the key.
func FromGGUF(f *gguf.File) (Tokenizer, error) {
	t, err := fromGGUF(f)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	return t, nil
}

func fromGGUF(f *gguf.File) (Tokenizer, error) {
	m, err := readMetadata(f)
	if err != nil {
		return nil, err
	}
	switch m.model {
	case "gpt2":
		return newBPE(m)
	case "llama", "gemma4":
		return newSPM(m)
	}
	return nil, m.wrong("tokenizer.ggml.model", "unknown tokenizer %q; known are gemma4, gpt2, llama", m.model)
}

// metadata is what a file says about its tokenizer, checked.
type metadata struct {
	path       string // of the file
	model, pre string
	tokens     []string
	kinds      []kind    // one per token
	scores     []float32 // one per token, or none
	merges     []string  // "left right", the earliest first
	name       string    // of the model

	bos, eos, eot, eom, unk int32 // or -1
	moreEnds                []int32
	addBOS, addSpace        *bool // nil where the file does not say
}

// reader gets values and keeps the first error.
type reader struct {
	f   *gguf.File
	err error
}

func readMetadata(f *gguf.File) (*metadata, error) {
	r := &reader{f: f}
	m := &metadata{
		path:   f.Path(),
		model:  r.text("tokenizer.ggml.model"),
		pre:    r.text("tokenizer.ggml.pre"),
		name:   strings.ToLower(r.text("general.name")),
		tokens: get(r, "tokenizer.ggml.tokens", f.Strings),
		scores: r.floats("tokenizer.ggml.scores"),
		merges: get(r, "tokenizer.ggml.merges", f.Strings),
	}
	switch n := len(m.tokens); {
	case r.err != nil:
	case m.model == "":
		r.err = m.wrong("tokenizer.ggml.model", "missing")
	case n == 0:
		r.err = m.wrong("tokenizer.ggml.tokens", "missing or empty")
	case len(m.scores) > 0 && len(m.scores) < n:
		r.err = m.wrong("tokenizer.ggml.scores", "%d for %d tokens", len(m.scores), n)
	}
	m.kinds = r.kinds(m)
	m.addBOS = r.flag("tokenizer.ggml.add_bos_token")
	m.addSpace = r.flag("tokenizer.ggml.add_space_prefix")
	m.bos = r.id(m, "tokenizer.ggml.bos_token_id")
	m.eos = r.id(m, "tokenizer.ggml.eos_token_id")
	m.eot = r.id(m, "tokenizer.ggml.eot_token_id")
	m.eom = r.id(m, "tokenizer.ggml.eom_token_id")
	m.unk = r.id(m, "tokenizer.ggml.unknown_token_id")
	m.moreEnds = r.ids(m, "tokenizer.ggml.eos_token_ids")
	return m, r.err
}

// wrong is the error that names a key and the file.
func (m *metadata) wrong(key, format string, args ...any) error {
	return &gguf.FormatError{Path: m.path, Where: key, What: fmt.Sprintf(format, args...)}
}

// get reads a value that may be missing.
func get[T any](r *reader, key string, read func(string) (T, bool, error)) T {
	x, _, err := read(key)
	if err != nil && r.err == nil {
		r.err = err
	}
	return x
}

func (r *reader) text(key string) string { return get(r, key, r.f.String) }

// floats reads numbers that some files have as integers.
func (r *reader) floats(key string) []float32 {
	x, found, err := r.f.Floats(key)
	if err == nil || !found {
		return x
	}
	n := get(r, key, r.f.Ints)
	x = make([]float32, len(n))
	for i := range n {
		x[i] = float32(n[i])
	}
	return x
}

func (r *reader) flag(key string) *bool {
	b, found, err := r.f.Bool(key)
	if err != nil && r.err == nil {
		r.err = err
	}
	if !found {
		return nil
	}
	return &b
}

// id reads the id of a token that exists, or -1 if the key is missing.
func (r *reader) id(m *metadata, key string) int32 {
	return get(r, key, func(key string) (int32, bool, error) {
		id, found, err := r.f.Uint(key)
		if err == nil && found && id >= uint64(len(m.tokens)) {
			err = m.wrong(key, "%d, but there are %d tokens", id, len(m.tokens))
		}
		if !found {
			return -1, false, err
		}
		return int32(id), true, err
	})
}

// ids reads a list of ids of tokens that exist.
func (r *reader) ids(m *metadata, key string) (ids []int32) {
	for _, id := range get(r, key, r.f.Ints) {
		if id < 0 || id >= len(m.tokens) {
			if r.err == nil {
				r.err = m.wrong(key, "%d, but there are %d tokens", id, len(m.tokens))
			}
			return nil
		}
		ids = append(ids, int32(id))
	}
	return ids
}

// kinds reads the types of the tokens; where the file has none all are normal.
func (r *reader) kinds(m *metadata) []kind {
	const key = "tokenizer.ggml.token_type"
	types, n := get(r, key, r.f.Ints), len(m.tokens)
	if len(types) > 0 && len(types) < n && r.err == nil {
		r.err = m.wrong(key, "%d for %d tokens", len(types), n)
	}
	kinds := make([]kind, n)
	for i := range kinds {
		kinds[i] = normal
		if i < len(types) {
			kinds[i] = kind(min(uint(types[i]), uint(byteValue)+1)) // what is beyond has no meaning
		}
	}
	return kinds
}

// ends sets what v knows about the ids that begin and end a text. add is what the kind of tokenizer does
// where the file does not say.
func (m *metadata) ends(v *vocabulary, add bool) error {
	v.bos, v.eos = m.bos, m.eos
	v.addBOS = add
	if m.addBOS != nil {
		v.addBOS = *m.addBOS
	}
	if v.addBOS && v.bos < 0 {
		return m.wrong("tokenizer.ggml.bos_token_id", "missing, though the model wants BOS before its text")
	}
	return nil
}
