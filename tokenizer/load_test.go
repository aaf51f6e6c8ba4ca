package tokenizer

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/testenv"
)

// smallBPE is the least that a file of a byte-level vocabulary has to say.
func smallBPE() []gguf.KV {
	return []gguf.KV{
		{Key: "tokenizer.ggml.model", Value: "gpt2"},
		{Key: "tokenizer.ggml.pre", Value: "gpt-2"},
		{Key: "tokenizer.ggml.tokens", Value: []string{"a", "b", "ab", "<eos>"}},
		{Key: "tokenizer.ggml.merges", Value: []string{"a b"}},
	}
}

func TestLoadErrors(t *testing.T) {
	spm := spmKV(piece{"<unk>", unknown}, piece{"<s>", control}, piece{"</s>", control}, piece{"a", normal})
	for _, tt := range []struct {
		name   string
		base   []gguf.KV
		key    string // which is given another value, or none
		value  any
		errors []string // what the error says, beside the key
	}{
		{"no model", smallBPE(), "model", nil, []string{"missing"}},
		{"unknown model", smallBPE(), "model", "rwkv", []string{`"rwkv"`, "gpt2", "llama", "gemma4"}},
		{"model of a wrong type", smallBPE(), "model", uint32(1), nil},
		{"no pre-tokenizer", smallBPE(), "pre", nil, []string{"missing", "qwen2"}},
		{"unknown pre-tokenizer", smallBPE(), "pre", "klingon", []string{`"klingon"`, "gpt-2", "llama-bpe", "qwen2", "smollm"}},
		{"no tokens", smallBPE(), "tokens", nil, []string{"missing"}},
		{"tokens of a wrong type", smallBPE(), "tokens", "a", nil},
		{"no merges", smallBPE(), "merges", nil, []string{"missing"}},
		{"half a merge", smallBPE(), "merges", []string{"ab"}, []string{`"ab"`}},
		{"an empty merge", smallBPE(), "merges", []string{""}, nil},
		{"a merge of no token", smallBPE(), "merges", []string{"a c"}, []string{`"a c"`}},
		{"a merge to no token", smallBPE(), "merges", []string{"b a"}, []string{`"b a"`}},
		{"few types", smallBPE(), "token_type", []int32{1}, []string{"1 for 4"}},
		{"types of a wrong type", smallBPE(), "token_type", []string{"1"}, nil},
		{"an id too high", smallBPE(), "eos_token_id", uint32(4), []string{"4"}},
		{"an id of several too high", smallBPE(), "eos_token_ids", []int32{1, 4}, []string{"4"}},
		{"a negative id of several", smallBPE(), "eos_token_ids", []int32{-1}, []string{"-1"}},
		{"a negative id", smallBPE(), "bos_token_id", int32(-2), []string{"-2"}},
		{"a wanted BOS that is not there", smallBPE(), "add_bos_token", true, []string{"missing"}},
		{"a flag that is none", smallBPE(), "add_bos_token", "yes", nil},
		{"no scores", spm, "scores", nil, []string{"missing"}},
		{"few scores", spm, "scores", []float32{1}, []string{"1 for 4"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key := "tokenizer.ggml." + tt.key
			kv := slices.DeleteFunc(slices.Clone(tt.base), func(kv gguf.KV) bool { return kv.Key == key })
			if tt.value != nil {
				kv = append(kv, gguf.KV{Key: key, Value: tt.value})
			}
			_, err := LoadBytes(file(t, kv...))
			var wrong *gguf.FormatError
			if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), "tokenizer: ") {
				t.Fatalf("error %v", err)
			}
			if tt.name != "a wanted BOS that is not there" && wrong.Where != key {
				t.Errorf("error %v does not name %s", err, key)
			}
			for _, s := range tt.errors {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("error %v does not say %s", err, s)
				}
			}
		})
	}
}

func TestLoadFiles(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "model.gguf")
	if err := os.WriteFile(text, []byte("not a model"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, text, filepath.Join(dir, "none")} {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", path, err)
		}
	}
	good := filepath.Join(dir, "good")
	if err := os.WriteFile(good, file(t, smallBPE()...), 0o600); err != nil {
		t.Fatal(err)
	}
	tok, err := Load(good)
	if err != nil {
		t.Fatal(err)
	}
	if got := tok.Encode(nil, "abba?"); !slices.Equal(got, []int32{2, 1, 0}) {
		t.Errorf("ids %v", got) // "?" is no token of this file
	}
}

func TestBOS(t *testing.T) {
	with := func(kv []gguf.KV, key string, value any) []gguf.KV {
		return append(slices.Clone(kv), gguf.KV{Key: "tokenizer.ggml." + key, Value: value})
	}
	llama3 := with(smallBPE()[2:], "model", "gpt2")
	llama3 = with(with(llama3, "pre", "llama-bpe"), "bos_token_id", uint32(3))
	spm := spmKV(piece{"<unk>", unknown}, piece{"<s>", control}, piece{"</s>", control}, piece{"a", normal})
	for _, tt := range []struct {
		name string
		kv   []gguf.KV
		id   int32
		add  bool
	}{
		{"none", smallBPE(), -1, false},
		{"named", with(smallBPE(), "bos_token_id", uint32(3)), 3, false},
		{"by the file", with(with(smallBPE(), "bos_token_id", uint32(3)), "add_bos_token", true), 3, true},
		{"by the pre-tokenizer", llama3, 3, true},
		{"the file knows better", with(llama3, "add_bos_token", false), 3, false},
		{"by the kind", spm, 1, true},
	} {
		if id, add := load(t, tt.kv...).BOS(); id != tt.id || add != tt.add {
			t.Errorf("%s: BOS is %d, %t; want %d, %t", tt.name, id, add, tt.id, tt.add)
		}
	}
}

func TestStopsByName(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pieces []piece
		stops  []string
		shown  []string
	}{
		{"harmony", []piece{{"<|end|>", control}, {"<|return|>", control}, {"<|call|>", control}, {"<|channel|>", control}},
			[]string{"</s>", "<|return|>", "<|call|>"}, []string{"<|end|>", "<|channel|>"}},
		{"phi", []piece{{"<|end|>", control}, {"<|endoftext|>", control}}, []string{"</s>", "<|end|>", "<|endoftext|>"}, nil},
		{"a wrong type", []piece{{"<end_of_turn>", normal}}, []string{"</s>", "<end_of_turn>"}, nil},
	} {
		pieces := append([]piece{{"<unk>", unknown}, {"<s>", control}, {"</s>", control}, {"a", normal}}, tt.pieces...)
		tok := load(t, spmKV(pieces...)...)
		want := ids(t, tok, tt.stops...)
		if got := tok.Stops(); !slices.Equal(got, want) {
			t.Errorf("%s: stops %v, want %v", tt.name, got, want)
		}
		for _, p := range tt.shown {
			if s := string(tok.Decode(nil, id(t, tok, p))); s != p {
				t.Errorf("%s: %s decodes to %q", tt.name, p, s)
			}
		}
	}
	// In a vocabulary of HTML the end of a tag is text.
	html := load(t, append(spmKV(piece{"<eos>", control}, piece{"<bos>", control}, piece{"</s>", userDefined},
		piece{"<s>", userDefined}, piece{"a", normal}), gguf.KV{Key: "tokenizer.ggml.eos_token_id", Value: uint32(0)})...)
	if got := html.Stops(); !slices.Equal(got, []int32{0}) {
		t.Errorf("stops of a vocabulary with tags: %v", got)
	}
	// A file may name several ids, beside those with known names.
	several := load(t, append(smallBPE(), gguf.KV{Key: "tokenizer.ggml.eos_token_ids", Value: []int32{2, 0}},
		gguf.KV{Key: "tokenizer.ggml.eos_token_id", Value: uint32(2)})...)
	if got := several.Stops(); !slices.Equal(got, []int32{0, 2, 3}) {
		t.Errorf("stops of a vocabulary that names two: %v", got)
	}
	// And text is what merges make.
	built := load(t, append(smallBPE()[:2:2], gguf.KV{Key: "tokenizer.ggml.tokens", Value: []string{"<", "/s>", "</s>"}},
		gguf.KV{Key: "tokenizer.ggml.merges", Value: []string{"< /s>"}})...)
	if got := built.Stops(); len(got) != 0 {
		t.Errorf("stops of a vocabulary that builds their names: %v", got)
	}
}

// TestRealStops has the ids that end generations of the models at hand.
func TestRealStops(t *testing.T) {
	for name, want := range map[string][]string{
		"smollm2":            {"<|endoftext|>", "<|im_end|>", "<reponame>"},
		"qwen2.5-coder-0.5b": {"<|endoftext|>", "<|im_end|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>"},
		"gemma3-270m":        {"<eos>", "<end_of_turn>"},
	} {
		t.Run(name, func(t *testing.T) {
			testenv.Model(t, name)
			tok := loadModel(t, name)
			got := map[string]bool{}
			for _, id := range tok.Stops() {
				got[string(tok.Piece(id))] = true
			}
			for _, s := range want {
				if !got[s] {
					t.Errorf("%s does not stop", s)
				}
				delete(got, s)
			}
			if len(got) > 0 {
				t.Errorf("also stops: %v", slices.Collect(maps.Keys(got)))
			}
		})
	}
}

func TestSaveAndLoad(t *testing.T) {
	want := learned(t)
	var b strings.Builder
	if err := want.Save(&b); err != nil {
		t.Fatal(err)
	}
	got, err := LoadBytes([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for id := range int32(want.Size()) {
		if string(got.Piece(id)) != string(want.Piece(id)) {
			t.Errorf("id %d is %q, was %q", id, got.Piece(id), want.Piece(id))
		}
	}
	for _, c := range splitCases(t) {
		if a, b := got.EncodeSpecial(nil, c.Text), want.EncodeSpecial(nil, c.Text); !slices.Equal(a, b) {
			t.Errorf("%q: %v, was %v", c.Text, a, b)
		}
	}
	if !slices.Equal(got.Stops(), want.Stops()) || got.Size() != want.Size() {
		t.Errorf("stops %v of %d, were %v of %d", got.Stops(), got.Size(), want.Stops(), want.Size())
	}
}
