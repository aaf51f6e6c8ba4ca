package checkpoint_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.com/minillm/internal/checkpoint"
	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/tiny"
	"example.com/minillm/tokenizer"
)

// FuzzConfig wants of any configuration words that GGUF can hold, or an error that says where.
func FuzzConfig(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*[0-9a].json"))
	if err != nil || len(paths) == 0 {
		f.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		kv, err := checkpoint.Config(data)
		if err == nil {
			_, err = gguf.New("", kv, nil, nil)
		}
		wantFormatError(t, err)
	})
}

// FuzzVocabulary wants of any tokenizer.json a tokenizer that works, or an error that says where.
func FuzzVocabulary(f *testing.F) {
	g, err := gguf.Parse(tiny.GGUF(tiny.Config{}))
	if err != nil {
		f.Fatal(err)
	}
	seed := func(j object) {
		data, err := json.Marshal(j)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	seed(tokenizerOf(vocabularyOf(g)))
	small := letters()
	small["pre_tokenizer"] = nil
	small["normalizer"] = object{"type": "Replace", "pattern": object{"String": " "}, "content": "▁"}
	small["model"] = object{"byte_fallback": true, "unk_token": "?", "vocab": object{"?": 0, "a": 1, "b": 2, "ab": 3, "<0x0A>": 4}, "merges": []string{"a b"}}
	seed(small)
	f.Fuzz(func(t *testing.T, data []byte) {
		kv, err := checkpoint.Vocabulary(data, 300)
		if err != nil {
			wantFormatError(t, err)
			return
		}
		g, err := gguf.New("", kv, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := tokenizer.FromGGUF(g)
		if err != nil {
			wantFormatError(t, err)
			return
		}
		tok.Decode(nil, tok.EncodeSpecial(nil, "ab the <|im_end|> 12\n")...)
	})
}

func wantFormatError(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*gguf.FormatError](err); err != nil && !ok {
		t.Errorf("%T: %v", err, err)
	}
}
