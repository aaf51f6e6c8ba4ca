package checkpoint_test

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/minillm/internal/checkpoint"
	"example.com/minillm/internal/gguf"
	"example.com/minillm/internal/testenv"
	"example.com/minillm/tokenizer"
)

func split(pattern string) object {
	return object{"type": "Split", "pattern": object{"Regex": pattern}, "behavior": "Isolated", "invert": false}
}

func byteLevel(cuts bool, before ...object) object {
	return object{"type": "Sequence", "pretokenizers": append(before, object{"type": "ByteLevel", "add_prefix_space": false, "use_regex": cuts})}
}

const llama3Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// byteVocabularies are the pre-tokenizers of the makers' tokenizer.json.
var byteVocabularies = map[string]object{
	"gpt-2":     {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
	"starcoder": byteLevel(true, object{"type": "Digits", "individual_digits": true}),
	"llama-bpe": byteLevel(false, split(llama3Pattern)),
	"qwen2":     byteLevel(false, split(strings.Replace(llama3Pattern, "{1,3}", "", 1))),
	"deepseek-coder": byteLevel(false, split(`[\r\n]`), split(`\s?\p{L}+`), split(`\s?\p{P}+`), split("[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"),
		object{"type": "Digits", "individual_digits": true}),
}

// TestByteVocabularies makes a tokenizer.json of vocabularies that converters have made of such files.
func TestByteVocabularies(t *testing.T) {
	for name, pre := range byteVocabularies {
		t.Run(name, func(t *testing.T) {
			path := testenv.Shared(t, "goldens/tokenizer/ggml-vocab-"+name+".gguf")
			f := openVocabulary(t, path)
			merges, _, err := f.Strings("tokenizer.ggml.merges")
			if err != nil {
				t.Fatal(err)
			}
			j := fileOf(f, object{"merges": merges, "ignore_merges": name == "llama-bpe"})
			j["pre_tokenizer"], j["normalizer"] = pre, object{"type": "NFC"}
			same(t, f, j, path+".inp")
		})
	}
}

// TestPretokenizers recognises those that package tokenizer was compared with, as Hugging Face's library writes them.
func TestPretokenizers(t *testing.T) {
	data, err := os.ReadFile("testdata/pretokenizers.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil || len(all) < 9 {
		t.Fatal(len(all), err)
	}
	for name, pre := range all {
		j := letters()
		j["pre_tokenizer"], j["model"].(object)["ignore_merges"] = pre, name == "llama-bpe" || name == "tekken"
		if got := read(t, j, 3).(*tokenizer.BPE).Metadata()[1].Value; got != name {
			t.Errorf("%s is taken for %v", name, got)
		}
	}
}

// TestSentencePiece makes merges of scores, as transformers does: all ways to cut a token in two, the best token first.
func TestSentencePiece(t *testing.T) {
	for name, prepare := range map[string]func(object){
		"prepended": func(j object) {
			j["normalizer"] = object{"type": "Sequence", "normalizers": []object{
				{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": object{"String": " "}, "content": "▁"},
			}}
		},
		"metaspace": func(j object) {
			j["pre_tokenizer"] = object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false}
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := testenv.Shared(t, "goldens/tokenizer/ggml-vocab-llama-spm.gguf")
			f := openVocabulary(t, path)
			j := fileOf(f, object{"merges": mergesOf(t, f), "byte_fallback": true, "unk_token": "<unk>"})
			prepare(j)
			same(t, f, j, path+".inp")
		})
	}
}

// TestGemma has no space before a text, and tokens of several spaces and line breaks that are never taken apart.
func TestGemma(t *testing.T) {
	if testing.Short() {
		t.Skip("a vocabulary of 262144 tokens")
	}
	f := openVocabulary(t, testenv.Model(t, "gemma3-270m"))
	j := fileOf(f, object{"merges": mergesOf(t, f), "byte_fallback": true, "unk_token": "<unk>"})
	j["normalizer"] = object{"type": "Replace", "pattern": object{"String": " "}, "content": "▁"}
	j["pre_tokenizer"] = object{"type": "Split", "pattern": object{"String": " "}, "behavior": "MergedWithPrevious", "invert": false}
	same(t, f, j, testenv.Shared(t, "goldens/tokenizer/ggml-vocab-llama-spm.gguf.inp"))
}

func openVocabulary(t *testing.T, path string) *gguf.File {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// fileOf is a tokenizer.json of the tokens of a file.
func fileOf(f *gguf.File, model object) object {
	tokens, _, _ := f.Strings("tokenizer.ggml.tokens")
	types, _, _ := f.Ints("tokenizer.ggml.token_type")
	vocab, added := object{}, []object{}
	for id, token := range tokens {
		if k := types[id]; k >= 2 && k <= 4 {
			token = strings.ReplaceAll(token, " ", "▁")
			added = append(added, object{"id": id, "content": token, "special": k != 4})
			if model["byte_fallback"] == nil {
				continue
			}
		}
		vocab[token] = id
	}
	model["type"], model["vocab"] = "BPE", vocab
	return object{"added_tokens": added, "model": model, "normalizer": nil, "pre_tokenizer": nil}
}

// mergesOf are the merges that make tokens of tokens.
func mergesOf(t *testing.T, f *gguf.File) (merges [][2]string) {
	t.Helper()
	tokens, _, _ := f.Strings("tokenizer.ggml.tokens")
	types, _, _ := f.Ints("tokenizer.ggml.token_type")
	scores, _, err := f.Floats("tokenizer.ggml.scores")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	for id, token := range tokens {
		if types[id] == 1 {
			ids[token] = id
		}
	}
	for id, token := range tokens {
		if types[id] != 1 {
			continue
		}
		for at := 1; at < len(token); at++ {
			_, left := ids[token[:at]]
			_, right := ids[token[at:]]
			if left && right && ids[token] == id {
				merges = append(merges, [2]string{token[:at], token[at:]})
			}
		}
	}
	slices.SortStableFunc(merges, func(a, b [2]string) int {
		return cmp.Compare(scores[ids[b[0]+b[1]]], scores[ids[a[0]+a[1]]])
	})
	return merges
}

// same wants the ids of the file of what is read from j, for all texts at path.
func same(t *testing.T, f *gguf.File, j object, path string) {
	t.Helper()
	want, err := tokenizer.FromGGUF(f)
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, j, want.Size())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(strings.Split(string(data), "\n__ggml_vocab_test__\n"), string(data)) {
		if a, b := got.EncodeSpecial(nil, text), want.EncodeSpecial(nil, text); !slices.Equal(a, b) {
			t.Errorf("%q\n got %v\nwant %v", text, a, b)
		}
	}
}

func read(t *testing.T, j object, size int) tokenizer.Tokenizer {
	t.Helper()
	data, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := checkpoint.Vocabulary(data, size)
	if err != nil {
		t.Fatal(err)
	}
	kv = append(kv, gguf.KV{Key: "tokenizer.ggml.add_bos_token", Value: false})
	g, err := gguf.New("", kv, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.FromGGUF(g)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}
